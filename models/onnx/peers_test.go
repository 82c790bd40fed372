package onnx_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/onnx"
	"github.com/npu-tune/npu-tune/models/zoo"
)

// peer returns the path of a sample file, or skips the test.
func peer(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "peers", "onnx", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("sample file %s is not here", name)
	}
	return path
}

// Figures of one image as the file has it. Counts are those published for the
// network that the file is:
//   - light_bvlc_alexnet is Caffe's of two towers, here on 224x224, not the zoo's of one;
//   - light_squeezenet is version 1.1 (torchvision: 1,235,496 and 0.349 GMACs), the zoo's 1.0;
//   - light_inception_v1 rounds the sizes of its pooled images down where the
//     published network rounds up (TestInceptionRoundsDown), so only its parameters are;
//   - resnet18 has its batch normalization folded: 4,800 biases in place of 9,600
//     scales and shifts of the published 11,689,512.
func TestPeers(t *testing.T) {
	for _, c := range []struct {
		file       string
		layers     int
		macs       int64
		parameters int64
	}{
		{"attention_head.onnx", 5, 3*128*512*64 + 2*128*128*64, 3 * 512 * 64},
		{"light_bvlc_alexnet.onnx", 8, alexNetMACs(), 60_965_224},
		{"light_inception_v1.onnx", 58, 1_431_556_352, 6_998_552},
		{"light_resnet50.onnx", 54, 4_089_184_256, 25_557_032},
		{"light_squeezenet.onnx", 26, 349_151_936, 1_235_496},
		{"light_vgg19.onnx", 19, 19_632_062_464, 143_667_240},
		{"resnet18.onnx", 21, 1_814_073_344, 11_689_512 - 4_800},
		{"swiglu_256_4096_14336.onnx", 3, 3 * 256 * 4096 * 14336, 3 * 4096 * 14336},
	} {
		t.Run(c.file, func(t *testing.T) {
			im, err := onnx.Load(peer(t, c.file), onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m := im.Model
			if len(m.Layers) != c.layers || m.MACs() != c.macs || m.Parameters() != c.parameters {
				t.Errorf("%d layers, %d MACs, %d parameters; want %d, %d, %d",
					len(m.Layers), m.MACs(), m.Parameters(), c.layers, c.macs, c.parameters)
			}
			if len(im.Report.LeftOut) > 0 {
				t.Errorf("left out: %v", im.Report.LeftOut)
			}
			if err := m.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// alexNetMACs adds up the layers of the network of two towers on 224x224.
func alexNetMACs() int64 {
	return 54*54*96*3*11*11 + 2*26*26*128*48*5*5 + 12*12*384*256*3*3 + 2*12*12*192*192*3*3 + 2*12*12*128*192*3*3 +
		9216*4096 + 4096*4096 + 4096*1000
}

// Where a file's architecture is the zoo's, so is every layer, at any batch.
func TestPeersAreTheZoos(t *testing.T) {
	for file, network := range map[string]string{
		"light_resnet50.onnx": "resnet50", "light_vgg19.onnx": "vgg19", "resnet18.onnx": "resnet18",
	} {
		for _, batch := range []int64{1, 4} {
			im, err := onnx.Load(peer(t, file), onnx.Options{Batch: batch})
			if err != nil {
				t.Fatal(err)
			}
			want, err := zoo.Build(network, zoo.Options{Batch: batch})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(problems(want), problems(im.Model)); diff != "" {
				t.Errorf("%s at batch %d (-zoo +file):\n%s", file, batch, diff)
			}
		}
	}
}

// The file's layers are the zoo's with images of 55, 27, 13 and 6 pixels a side
// in place of 56, 28, 14 and 7.
func TestInceptionRoundsDown(t *testing.T) {
	im, err := onnx.Load(peer(t, "light_inception_v1.onnx"), onnx.Options{Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	want, err := zoo.Build("googlenet", zoo.Options{Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	side := map[int64]int64{56: 55, 28: 27, 14: 13, 7: 6}
	for i, l := range want.Layers {
		if c := l.Conv; c != nil && side[c.P] != 0 {
			c.H, c.W, c.P, c.Q = side[c.H], side[c.W], side[c.P], side[c.Q]
			want.Layers[i].M = 4 * c.P * c.Q
		}
	}
	if diff := cmp.Diff(problems(want), problems(im.Model)); diff != "" {
		t.Errorf("layers (-zoo +file):\n%s", diff)
	}
}

// problems returns a model's layers without names, sorted.
func problems(m models.Model) []string {
	var list []string
	for _, l := range m.Layers {
		l.Name = ""
		list = append(list, show(l))
	}
	slices.Sort(list)
	return list
}
