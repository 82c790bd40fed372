package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitFailure     = 1   // something broke
	exitUsage       = 2   // the input is wrong
	exitInterrupted = 130 // as shells report a program that SIGINT ended
)

// run executes a command line and returns the exit code. Errors are one line
// on stderr.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "npu-tune: %s\n", oneLine(err))
	switch {
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case isUsage(err):
		return exitUsage
	}
	return exitFailure
}

// usageError is an error of the input: flags, configuration or files.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usage marks an error as one of the input; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

func isUsage(err error) bool {
	var u usageError
	return errors.As(err, &u)
}

// maxCauses is how many of several errors a message lists.
const maxCauses = 4

// oneLine joins the lines of an error, and says how many are left out.
func oneLine(err error) string {
	var causes []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			causes = append(causes, line)
		}
	}
	if left := len(causes) - maxCauses; left > 0 {
		return fmt.Sprintf("%s; and %d more", strings.Join(causes[:maxCauses], "; "), left)
	}
	return strings.Join(causes, "; ")
}

// silent makes cobra leave the printing of errors to run, and mark those of
// flags and arguments as the user's.
func silent(c *cobra.Command) *cobra.Command {
	c.SilenceUsage, c.SilenceErrors, c.DisableSuggestions = true, true, true
	c.SetFlagErrorFunc(flagError)
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error { return usage(check(c, args)) }
	}
	return c
}
