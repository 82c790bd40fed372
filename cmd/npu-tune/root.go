package main

import "github.com/spf13/cobra"

func newRoot() *cobra.Command {
	root := silent(&cobra.Command{
		Use:   "npu-tune --model NAME",
		Short: "Find the best schedules of a network's layers on an NPU",
		Long: `npu-tune finds the best schedule of every layer's passes of a training step on an NPU: tile
extents, loop orders, what stays in the scratchpad memory (SPM), array dataflow, and how the two
gradients of a layer interleave so that they read the output gradient dY once. It compares
them with hand-tuned schedules and writes them as JSON for a compiler.

Every flag can also stand in config.yaml (budget: 10m) or in the environment (NPU_TUNE_BUDGET=10m);
flags win over the environment, the environment over config.yaml.`,
		Example: `  npu-tune --model resnet50 --budget 1h
  npu-tune --model bert-base --npu large --cores 4 --pass backward --objective energy
  npu-tune evaluate best.json`,
		Args: noArguments,
		RunE: tune,
	})
	root.CompletionOptions.HiddenDefaultCmd = false
	flags := root.Flags()
	flags.SortFlags = false
	for _, s := range settings() {
		addFlag(root, s)
	}
	flags.Var(&textFlag{kind: "FILE"}, configFlag, "YAML file with settings (default: "+configFile+" here, if there is one)")
	root.AddCommand(modelsCommand(), npusCommand(), evaluateCommand(), verifyCommand(), simulateCommand(), compareCommand(), schemaCommand(), versionCommand())
	root.AddCommand(exportCommand(), solveCommand(), reproduceCommand())
	return root
}

// addFlag defines the flag of a setting. Its text is parsed with that of the
// environment and the configuration, once it is known which of them counts.
func addFlag(c *cobra.Command, s setting) {
	value := textFlag{value: s.initial, kind: s.kind}
	if s.name == dimFlag {
		c.Flags().Var(&listFlag{textFlag: value}, s.name, s.usage)
	} else {
		c.Flags().Var(&value, s.name, s.usage)
	}
	if s.kind == "" {
		c.Flags().Lookup(s.name).NoOptDefVal = "true"
	}
	if s.values != nil {
		complete(c, s.name, s.values)
	}
}

// textFlag is a flag of any text that says in the help what it wants.
type textFlag struct{ value, kind string }

func (t *textFlag) String() string { return t.value }
func (t *textFlag) Type() string {
	if t.kind == "" {
		return "bool" // which the help leaves out
	}
	return t.kind
}
func (t *textFlag) Set(v string) error {
	t.value = v
	return nil
}
