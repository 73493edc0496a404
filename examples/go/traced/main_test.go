package main

import (
	"strconv"
	"strings"
	"testing"
)

// TestCompare checks that a replay on the recorded machine is exact. With workers of other speeds a
// replay takes too long, because it assigns tasks in the recorded order.
func TestCompare(t *testing.T) {
	var out strings.Builder
	if err := compare(&out); err != nil {
		t.Fatal(err)
	}
	var errors []float64
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
		words := strings.Fields(line)
		v, err := strconv.ParseFloat(words[len(words)-2], 64)
		if err != nil {
			t.Fatal(line)
		}
		errors = append(errors, v)
	}
	if len(errors) != len(machines) || errors[0] != 0 || errors[2] < 20 || errors[3] < 1.5*errors[2] {
		t.Errorf("errors %v\n%s", errors, out.String())
	}
}
