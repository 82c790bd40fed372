# The few verbs that people type; .ci/run has the commands.
.PHONY: all build test lint race bench fuzz demo ci

all: build lint test

build:
	go build -o npu-tune ./cmd/npu-tune

test:
	.ci/run test

lint:
	.ci/run format vet lint

race:
	.ci/run race

# BENCH='-parts proof -models resnet50 -limit 60s' make bench
bench:
	.ci/run bench

# FUZZTIME=10m make fuzz
fuzz:
	.ci/run fuzz

demo:
	.ci/run demo

ci:
	.ci/run
