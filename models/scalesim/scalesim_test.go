package scalesim_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/scalesim"
)

const convHeader = "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"

func conv(h, w, p, q, r, s, strideH, strideW int64) *models.Conv {
	return &models.Conv{H: h, W: w, P: p, Q: q, R: r, S: s, StrideH: strideH, StrideW: strideW, DilationH: 1, DilationW: 1}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, csv string
		want      []models.Layer
	}{
		{"convolution, rounded down", convHeader + "a, 10, 9, 3, 2, 8, 4, 2,\n", []models.Layer{
			{Name: "a", M: 4 * 4, N: 4, K: 48, Conv: conv(10, 9, 4, 4, 3, 2, 2, 2)},
		}},
		{"images of 3 channels first", convHeader + "a,4,4,1,1,3,4,1\nb,4,4,1,1,3,4,1\n", []models.Layer{
			{Name: "a", M: 16, N: 4, K: 3, Conv: conv(4, 4, 4, 4, 1, 1, 1, 1), NoInputGrad: true},
			{Name: "b", M: 16, N: 4, K: 3, Conv: conv(4, 4, 4, 4, 1, 1, 1, 1)},
		}},
		{"byte order mark, CRLF, blank rows, unbreakable spaces", "\ufeffLayer name,\u00a0 Ifmap height,ifmap width,filter height,filter width,channels,num filters,strides,\r\n,,,,\r\n\r\na,4,4,2,2,8,4,2,\r\n", []models.Layer{
			{Name: "a", M: 4, N: 4, K: 32, Conv: conv(4, 4, 2, 2, 2, 2, 2, 2)},
		}},
		{"a stride for each axis", "Layer name,IFMAP height,IFMAP width,Filter height,Filter width,Channels,Num filter,Stride height,Stride width,\na,9,9,3,3,8,4,1,3,\n", []models.Layer{
			{Name: "a", M: 7 * 3, N: 4, K: 72, Conv: conv(9, 9, 7, 3, 3, 3, 1, 3)},
		}},
		{"a batch column is no stride", strings.TrimSpace(convHeader) + " Batch Size,\na,4,4,1,1,8,4,1,5,\n", []models.Layer{
			{Name: "a", M: 5 * 16, N: 4, K: 8, Conv: conv(4, 4, 4, 4, 1, 1, 1, 1)},
		}},
		{"other columns", strings.TrimSpace(convHeader) + ",,Eh,Ew\na,4,4,1,1,8,4,1,,,7,7\n", []models.Layer{
			{Name: "a", M: 16, N: 4, K: 8, Conv: conv(4, 4, 4, 4, 1, 1, 1, 1)},
		}},
		{"depthwise", convHeader + "DP1,4,4,3,3,8,1,1,\n", []models.Layer{
			{Name: "DP1", M: 4, N: 1, K: 9, Batch: 8, Conv: conv(4, 4, 2, 2, 3, 3, 1, 1)},
		}},
		{"a product written as a convolution", convHeader + "fc,128,512,1,512,1,16,1,\n", []models.Layer{{Name: "fc", M: 128, N: 16, K: 512}}},
		{"GEMM", "Layer,M,N,K,\na,2,3,5,\nb,7,1,1\n", []models.Layer{{Name: "a", M: 2, N: 3, K: 5}, {Name: "b", M: 7, N: 1, K: 1}}},
		{"GEMM, columns in another order", "Layer,K,N,M\na,2,3,5\n", []models.Layer{{Name: "a", M: 5, N: 3, K: 2}}},
		{"no header: GEMM", "a,2,3,5", []models.Layer{{Name: "a", M: 2, N: 3, K: 5}}},
		{"no header: a stride for each axis", "a,9,9,3,3,8,4,1,3,", []models.Layer{{Name: "a", M: 21, N: 4, K: 72, Conv: conv(9, 9, 7, 3, 3, 3, 1, 3)}}},
		{"a name twice", "Layer,M,N,K\na,2,3,5\na,2,3,5\n", []models.Layer{{Name: "a", M: 2, N: 3, K: 5}, {Name: "a@3", M: 2, N: 3, K: 5}}},
	} {
		m, err := scalesim.Parse([]byte(c.csv), "dir/net.csv", scalesim.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, m.Layers); diff != "" || m.Name != "net" {
			t.Errorf("%s: model %q (-want +got):\n%s", c.name, m.Name, diff)
		}
	}
}

func TestBatch(t *testing.T) {
	m, err := scalesim.Parse([]byte(convHeader+"a,4,4,1,1,8,4,1,\n"), "x.csv", scalesim.Options{Batch: 3})
	if err != nil || m.Layers[0].M != 48 {
		t.Errorf("%+v, %v, want m 48", m.Layers, err)
	}
	_, err = scalesim.Parse([]byte("Layer,M,N,K\na,2,3,5\nb,2,3,5\n"), "x.csv", scalesim.Options{Batch: 3})
	if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "x.csv:2:") {
		t.Errorf("batch of GEMMs: error %v, want one of line 2", err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		csv  string
		want []string // each error, without the sentinel's text
	}{
		{"", []string{"x.csv: the file has no layers, want a row a layer below a header such as Layer name, M, N, K"}},
		{convHeader, []string{"x.csv: the file has no layers, want a row a layer below a header such as Layer name, M, N, K"}},
		{convHeader + "a,4,4,1,1,8,4\nb,4,4,1,one,8,4,1\nc,4,4,1,1,8,4,0\nd,4,4,1,1,-8,4,1\ne,4,4,1,1,8,4,1", []string{
			`x.csv:2: "a" has no stride, want a whole number from 1 to 2147483648 in column 8`,
			`x.csv:3: filter width of "b" is "one", want a whole number from 1 to 2147483648`,
			`x.csv:4: stride of "c" is "0", want a whole number from 1 to 2147483648`,
			`x.csv:5: channels of "d" is "-8", want a whole number from 1 to 2147483648`,
		}},
		{convHeader + ",4,4,1,1,8,4,1", []string{"x.csv:2: the row has no layer name, want one in column 1"}},
		{convHeader + "a,4,4,5,6,8,4,1", []string{
			`x.csv:2: filter height of "a" is 5, want at most the image's 4 rows (padding included)`,
			`x.csv:2: filter width of "a" is 6, want at most the image's 4 columns (padding included)`,
		}},
		{convHeader + "a,99999,99999,1,1,8,4,1", []string{`x.csv:2: images × outputs of an image of "a" is 9999800001, want at most 2147483648`}},
		{"Layer,M,N\na,1,2", []string{
			"x.csv:1: the header has no column K, want layer name, IFMAP height, IFMAP width, filter height, filter width, channels, num filter, stride or layer name, M, N, K",
		}},
		{"Layer,M,N,K,K\na,1,2,3,3", []string{`x.csv:1: column "K" is there twice, want it once`}},
		{"a,1,2", []string{
			"x.csv:1: the file has no header and 3 columns, want 8 (layer name, IFMAP height, IFMAP width, filter height, filter width, channels, num filter, stride), one more (stride width), or 4 (layer name, M, N, K)",
		}},
		{"Layer,M,N,K\na,2147483648,2147483648,9", []string{"x.csv: its layers take 4.15e+19 multiply-accumulates in all, want at most 1.15e+18"}},
		{"\xff\xff", []string{"x.csv: the file is not UTF-8, want CSV"}},
	} {
		_, err := scalesim.Parse([]byte(c.csv), "x.csv", scalesim.Options{})
		if !errors.Is(err, scalesim.ErrTopology) {
			t.Errorf("%q: error %v, want one that wraps ErrTopology", c.csv, err)
			continue
		}
		got := strings.Split(strings.ReplaceAll(err.Error(), "malformed SCALE-Sim topology: ", ""), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.csv, diff)
		}
	}
}

// Layer counts and multiply-accumulates of files that SCALE-Sim's users have,
// added up by hand from their rows.
func TestPeers(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "peers", "scalesim")
	for file, want := range map[string]struct {
		layers int
		macs   int64
	}{
		"alexnet.csv": {5, 54*54*96*363 + 23*23*256*2400 + 11*11*384*2304 + 11*11*384*3456 + 11*11*256*3456},
		"gpt2.csv":    {6, 1024 * (1600*4800 + 64*1024 + 1024*64 + 1600*1600 + 2*1600*3072)},
	} {
		path := filepath.Join(folder, file)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("sample file %s is not here", file)
		}
		m, err := scalesim.Load(path, scalesim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Layers) != want.layers || m.MACs() != want.macs {
			t.Errorf("%s: %d layers, %d MACs, want %d, %d", file, len(m.Layers), m.MACs(), want.layers, want.macs)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(convHeader+"a, 10, 9, 3, 2, 8, 4, 2,\nDP1,4,4,3,3,8,1,1,\nfc,128,512,1,512,1,16,1,\n"), int64(0))
	f.Add([]byte("\ufeffLayer,M,N,K,Batch,Sparsity\r\na,2,3,5,1,2:4\r\n,,,\r\n"), int64(0))
	f.Add([]byte("a,9,9,3,3,8,4,1,3,"), int64(4))
	f.Fuzz(func(t *testing.T, data []byte, batch int64) {
		m, err := scalesim.Parse(data, "fuzz.csv", scalesim.Options{Batch: max(batch, 0) % (models.MaxDim + 1)})
		if err != nil {
			if !errors.Is(err, scalesim.ErrTopology) {
				t.Fatalf("error %v does not wrap ErrTopology", err)
			}
			return
		}
		if err := m.Validate(); err != nil || m.MACs() <= 0 {
			t.Fatalf("read but invalid: %v, %d MACs", err, m.MACs())
		}
		names := map[string]bool{}
		for _, l := range m.Layers {
			if names[l.Name] {
				t.Errorf("two layers are called %q", l.Name)
			}
			names[l.Name] = true
		}
	})
}
