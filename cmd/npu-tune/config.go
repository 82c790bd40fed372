package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/npu-tune/npu-tune/internal/nearest"
	"github.com/npu-tune/npu-tune/results"
)

const (
	envPrefix   = "NPU_TUNE"
	configFile  = "config.yaml" // read from the working directory if it is there
	configFlag  = "config"
	envSettings = envPrefix + "_"
)

// loadOptions reads every setting: flags win over the environment, that over
// the configuration file, that over what holds initially.
func loadOptions(c *cobra.Command) (*options, error) {
	v := viper.New()
	v.SetEnvPrefix(envPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	if err := v.BindPFlags(c.Flags()); err != nil {
		return nil, err
	}
	file, err := readConfig(v, v.GetString(configFlag))
	if err != nil {
		return nil, err
	}
	if err := checkEnvironment(os.Environ()); err != nil {
		return nil, err
	}
	o := &options{ended: results.Complete}
	var errs []error
	for _, s := range settings() {
		value, flag := v.GetString(s.name), c.Flags().Lookup(s.name)
		if flag.Changed {
			value = flag.Value.String() // as it was typed; viper converts booleans
		} else if value == "" && s.initial == "" {
			continue
		}
		if err := s.parse(o, value); err != nil {
			errs = append(errs, usagef("%s: %w", origin(c, file, s.name), err))
		}
	}
	errs = append(errs, settleGEMM(c, v, file, o), settleSizes(c, v, file, o))
	return o, errors.Join(errs...)
}

// readConfig reads a configuration file into v and returns its name; empty if
// there is none. Keys are settings, values scalars.
func readConfig(v *viper.Viper, path string) (string, error) {
	if path == "" {
		if _, err := os.Stat(configFile); errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		path = configFile
	}
	file := viper.New()
	file.SetConfigFile(path)
	file.SetConfigType("yaml")
	if err := file.ReadInConfig(); err != nil {
		if strings.Contains(err.Error(), "cannot unmarshal") {
			return "", usagef("%s: holds no settings, want lines such as model: resnet50", path)
		}
		return "", usagef("%s: %w", path, err)
	}
	values := file.AllSettings()
	if err := checkConfig(path, values); err != nil {
		return "", usage(err)
	}
	for key, value := range values {
		v.SetDefault(settingOf(key), value)
	}
	return path, nil
}

func checkConfig(path string, values map[string]any) error {
	var names []string
	for _, name := range settingNames() {
		names = append(names, configKey(name))
	}
	var errs []error
	for key, value := range values {
		if !slices.Contains(names, key) {
			errs = append(errs, fmt.Errorf("%s: unknown key %q%s", path, key, nearest.Hint(key, names)))
			continue
		}
		switch value.(type) {
		case map[string]any, []any:
			errs = append(errs, fmt.Errorf("%s: %s holds several values, want one", path, key))
		}
	}
	// A map has no order; errors should.
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// configKey returns the key of a setting in a configuration file.
func configKey(name string) string { return strings.ReplaceAll(name, "-", "_") }

// settingOf is the inverse of configKey.
func settingOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

// checkEnvironment reports variables that look like settings but are none.
func checkEnvironment(environ []string) error {
	// The last two are read by shell completion.
	known := []string{variable(configFlag), envSettings + "ACTIVE_HELP", envSettings + "COMPLETION_DESCRIPTIONS"}
	for _, name := range settingNames() {
		known = append(known, variable(name))
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if value != "" && strings.HasPrefix(name, envSettings) && !slices.Contains(known, name) {
			return usagef("unknown environment variable %s%s", name, nearest.Hint(name, known))
		}
	}
	return nil
}

func settingNames() []string {
	var names []string
	for _, s := range settings() {
		names = append(names, s.name)
	}
	return names
}

// variable returns the environment variable of a setting.
func variable(name string) string {
	return envSettings + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// origin says who set a setting.
func origin(c *cobra.Command, file, name string) string {
	switch {
	case c.Flags().Changed(name):
		return "--" + name
	case os.Getenv(variable(name)) != "":
		return variable(name)
	case file != "":
		return file + ": " + configKey(name)
	}
	return "--" + name
}
