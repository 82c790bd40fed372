package agree

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/npu-tune/npu-tune/evaluator"
	"github.com/npu-tune/npu-tune/space"
)

// TestCompareSeesEveryField changes one figure of a cost at a time.
func TestCompareSeesEveryField(t *testing.T) {
	check := func(name string, change func(*evaluator.Result)) {
		var a, b evaluator.Result
		if err := Compare(&a, &b); err != nil {
			t.Fatalf("equal results: %v", err)
		}
		change(&b)
		if err := Compare(&a, &b); !errors.Is(err, ErrDisagree) {
			t.Errorf("%s differs: error %v", name, err)
		}
	}
	fields := reflect.TypeFor[evaluator.Cost]()
	for i := range fields.NumField() {
		check(fields.Field(i).Name, func(r *evaluator.Result) { bump(reflect.ValueOf(&r.Cost).Elem().Field(i)) })
	}
	for tensor := range space.NumTensors {
		check("read of "+tensor.String(), func(r *evaluator.Result) { r.Cost.Traffic[tensor].Read++ })
		check("write of "+tensor.String(), func(r *evaluator.Result) { r.Cost.Traffic[tensor].Write++ })
	}
	for region := range space.NumRegions {
		check("slots of "+region.String(), func(r *evaluator.Result) { r.Cost.Slots[region]++ })
	}
	check("status", func(r *evaluator.Result) { r.Status = evaluator.Infeasible })
}

// bump adds one to the first number of a value.
func bump(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Array:
		bump(v.Index(v.Len() - 1))
	case reflect.Struct:
		bump(v.Field(0))
	}
}

func TestCompareNames(t *testing.T) {
	a := evaluator.Result{Cost: evaluator.Cost{SPMBytes: 3, ReductionBytes: 5}}
	err := Compare(&a, &evaluator.Result{Cost: evaluator.Cost{SPMBytes: 4}})
	for _, want := range []string{"spm_bytes is 3, want 4", "reduction_bytes is 5, want 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
