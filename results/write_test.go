package results_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/results"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// onlyFiles fails if the directory holds anything but the named files.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the directory holds %q, want %q", got, names)
	}
}

func TestWriteReplacesTheFileAndKeepsItsPermissions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "best.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := document(&goldenCases(t)[0])
	if err := results.CheckWritable(path); err != nil {
		t.Fatal(err)
	}
	if got := string(read(t, path)); got != "old" {
		t.Fatalf("the check left %q", got)
	}
	if err := d.Write(path); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, path), encode(t, d)) {
		t.Error("the file is not the document")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode is %o, want 600 as before", got)
	}
	onlyFiles(t, dir, "best.json")
}

func TestWriteFollowsALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	if err := os.WriteFile(target, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.json", link); err != nil {
		t.Skip(err)
	}
	d := document(&goldenCases(t)[0])
	if err := d.Write(link); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "a.json" {
		t.Errorf("the link is now %q, %v", to, err)
	}
	if !bytes.Equal(read(t, target), encode(t, d)) {
		t.Error("the target is not the document")
	}
}

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	d := document(&goldenCases(t)[0])
	for name, path := range map[string]string{
		"a directory":        dir,
		"no such directory":  filepath.Join(dir, "none", "best.json"),
		"a file on the way":  filepath.Join(dir, "file", "best.json"),
		"an impossible name": filepath.Join(dir, strings.Repeat("x", 5000)),
	} {
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := results.CheckWritable(path); err == nil {
			t.Errorf("%s: CheckWritable found nothing", name)
		}
		if err := d.Write(path); err == nil {
			t.Errorf("%s: Write succeeded", name)
		}
	}
	onlyFiles(t, dir, "file")
}

func TestWriteThroughADevice(t *testing.T) {
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Skip(err)
	}
	if err := results.CheckWritable(os.DevNull); err != nil {
		t.Error(err)
	}
	if err := document(&goldenCases(t)[0]).Write(os.DevNull); err != nil {
		t.Error(err)
	}
}

// TestWriteFileWholeOrNotAtAll: what cannot be written to its end leaves the
// old file as it is, and no other.
func TestWriteFileWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := results.WriteFile(path, func(w io.Writer) error {
		if _, err := w.Write([]byte("half")); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || string(read(t, path)) != "old" {
		t.Errorf("error %v, the file holds %q; want the old one", err, read(t, path))
	}
	onlyFiles(t, dir, "trace.json")
}

func TestCheckWritableLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := results.CheckWritable(filepath.Join(dir, "best.json")); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, dir)
}

func TestReadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "best.json")
	if err := os.WriteFile(path, []byte(`{"schema": 9}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Read(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("got %v, want it to begin with the path", err)
	}
}
