package hardware

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// npuTemplate lays an NPU out as the presets are.
const npuTemplate = `name: {{text .Name}}
{{- with .Description}}
description: {{text .}}
{{- end}}
array:
  rows: {{.Array.Rows}}
  cols: {{.Array.Cols}}
  pipelined: {{.Array.Pipelined}}
dataflows: {{list .Dataflows}}
clock_mhz: {{number .ClockMHz}}
cores: {{.Cores}}
{{- with .MaxCores}}
max_cores: {{.}}
{{- end}}
{{- with .SPMBytes}}
spm_bytes: {{.}}
{{- end}}
{{- with .SPM}}
spm:
{{- range .}}
  - holds: {{list .Holds}}
    bytes: {{.Bytes}}
{{- end}}
{{- end}}
spm_shared: {{.SPMShared}}
multicast: {{.Multicast}}
{{- with .DRAM}}
dram_gb_per_s: {{number .}}
{{- end}}
{{- with .DRAMPerCore}}
dram_gb_per_s_per_core: {{number .}}
{{- end}}
dma_latency_cycles: {{.DMALatency}}
bytes_in: {{.BytesIn}}
bytes_out: {{.BytesOut}}
bytes_acc: {{.BytesAcc}}
energy:
  mac_pj: {{number .Energy.MACPJ}}
  spm_pj_per_byte: {{number .Energy.SPMPJPerByte}}
  dram_pj_per_byte: {{number .Energy.DRAMPJPerByte}}
  static_pj_per_cycle: {{number .Energy.StaticPJPerCycle}}
im2col: {{.Im2col}}
`

// YAML returns the NPU as Parse reads it. Every figure is written, defaults
// too.
func (n *NPU) YAML() ([]byte, error) {
	t, err := template.New("npu").Funcs(template.FuncMap{"text": quoted, "number": plainNumber, "list": flowList}).Parse(npuTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, n.file()); err != nil {
		return nil, fmt.Errorf("NPU %q as YAML: %w", n.Name, err)
	}
	return b.Bytes(), nil
}

// quoted returns a text in double quotes; JSON's are YAML's too.
func quoted(s string) (string, error) {
	data, err := json.Marshal(s)
	return string(data), err
}

// plainNumber avoids exponents, which not every reader of YAML takes for
// numbers.
func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func flowList(names []string) string { return "[" + strings.Join(names, ", ") + "]" }
