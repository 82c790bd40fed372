package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
)

// The digest in a result is that of what 'models convert' prints.
func TestDigestIsOfTheConvertedModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net.csv")
	if err := os.WriteFile(path, []byte("Layer,M,N,K\na,2,3,5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, source, err := importModel(path, sizes{})
	if err != nil {
		t.Fatal(err)
	}
	var out, report bytes.Buffer
	if code := run([]string{"models", "convert", path}, &out, &report); code != 0 {
		t.Fatalf("exit code %d: %s", code, report.String())
	}
	digest := sha256.Sum256(out.Bytes())
	if got, want := source.results(m).Source.SHA256, hex.EncodeToString(digest[:]); got != want {
		t.Errorf("digest is %s, want %s", got, want)
	}
}

// Every sample file is read, and what is read survives being written and read
// again; those of networks that the zoo has are those networks.
func TestPeersConvert(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "peers")
	dims := map[string]string{
		"gemm_ABZ.yaml":  "M=64,N=32,K=16",
		"cnn_layer.yaml": "R=3,S=3,P=14,Q=14,C=8,K=16,N=2",
	}
	var paths []string
	for _, pattern := range []string{"onnx/*.onnx", "scalesim/*.csv", "timeloop/prob_*.yaml", "timeloop/gemm_ABZ.yaml", "timeloop/cnn_layer.yaml"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		t.Skip("the sample files are not here")
	}
	for _, path := range paths {
		s := sizes{}
		if text := dims[filepath.Base(path)]; text != "" {
			var o options
			if err := parseDims(&o, text); err != nil {
				t.Fatal(err)
			}
			s.dims = o.dims
		}
		want, _, err := importModel(path, s)
		if err != nil {
			t.Error(err)
			continue
		}
		out := filepath.Join(t.TempDir(), want.Name+".yaml")
		args := []string{"models", "convert", path, "-o", out}
		if s.dims != nil {
			args = append(args, "--dim", dims[filepath.Base(path)])
		}
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != 0 {
			t.Errorf("%s: exit code %d: %s", path, code, stderr.String())
			continue
		}
		got, _, err := importModel(out, sizes{})
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(plain(want), plain(got)); diff != "" {
			t.Errorf("%s (-imported +converted):\n%s", path, diff)
		}
	}
}

// plain writes what 0 and 1 both mean as 0.
func plain(m models.Model) models.Model {
	for i := range m.Layers {
		l := &m.Layers[i]
		if l.Batch == 1 {
			l.Batch = 0
		}
		if l.Count == 1 {
			l.Count = 0
		}
	}
	return m
}

// The weights of SCALE-Sim's ResNet-50 are the network's; its outputs are not,
// for want of padding.
func TestResNetOfSCALESim(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "peers", "scalesim", "Resnet50.csv")
	if _, err := os.Stat(path); err != nil {
		t.Skip("sample file Resnet50.csv is not here")
	}
	m, _, err := importModel(path, sizes{})
	if err != nil {
		t.Fatal(err)
	}
	network, err := zoo.Build("resnet50", zoo.Options{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	weights := func(m models.Model) map[[2]int64]int64 {
		count := map[[2]int64]int64{}
		for _, l := range m.Layers {
			count[[2]int64{l.K, l.N}] += l.Occurrences()
		}
		return count
	}
	if diff := cmp.Diff(weights(network), weights(m)); diff != "" {
		t.Errorf("layers by k and n (-zoo +file):\n%s", diff)
	}
}
