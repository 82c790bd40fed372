package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeListsFlagsAndCommands: the README names each with its own words.
func TestReadmeListsFlagsAndCommands(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	for _, s := range settings() {
		if !strings.Contains(readme, "--"+s.name) || !strings.Contains(readme, s.usage) {
			t.Errorf("README.md does not have the help of --%s: %q", s.name, s.usage)
		}
	}
	for _, c := range newRoot().Commands() {
		if !strings.Contains(readme, "`npu-tune "+c.Name()) && c.Name() != "help" {
			t.Errorf("README.md does not have the command %s", c.Name())
		}
	}
}

// TestConfigurationFileOfTheRepository: config.yaml holds what is so without
// it, but for the model.
func TestConfigurationFileOfTheRepository(t *testing.T) {
	t.Chdir("../..")
	read := func(args ...string) *options {
		root := newRoot()
		if err := root.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		o, err := loadOptions(root)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	with := read()
	t.Chdir(t.TempDir())
	without := read("--model", with.model, "--batch", "4")
	if with.strategy.Name() != without.strategy.Name() {
		t.Errorf("strategies are %s and %s", with.strategy.Name(), without.strategy.Name())
	}
	with.strategy, without.strategy = nil, nil
	if *with != *without {
		t.Errorf("config.yaml gives %+v, without it holds %+v", *with, *without)
	}
}
