module github.com/npu-tune/npu-tune

go 1.25.0
