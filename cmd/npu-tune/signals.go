package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/npu-tune/npu-tune/results"
)

var (
	errInterrupted = errors.New("interrupted")
	errBudget      = errors.New("budget used up")
)

// untilSignal returns a context that the first SIGINT or SIGTERM ends with
// errInterrupted as its cause. The second one kills the program.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
			signal.Stop(signals)
			cancel(errInterrupted)
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// ending says why a search's context ended.
func ending(ctx context.Context) results.End {
	if errors.Is(context.Cause(ctx), errInterrupted) {
		return results.Interrupted
	}
	return results.OverBudget
}
