package training

import "testing"

// Two passes of two computations of 10 ps and a collective of 10 ps each take 60 ps one after the
// other, and 40 ps together: each collective proceeds beside a computation of the other pass.
func TestMerged(t *testing.T) {
	pass := body{{action: compute, n: 10}, {action: communicate, n: 10}, {action: compute, n: 10}}
	cost := func(o *op) int64 { return o.n }
	time := func(bodies ...body) int64 {
		s := &script{bodies: bodies}
		for i := range bodies {
			s.passes = append(s.passes, alone(i))
		}
		took, _ := play([]*script{s}, cost, 0)
		return took
	}
	if apart, together := time(pass, pass), time(merged([lanes]body{pass, pass})); apart != 60 || together != 40 {
		t.Errorf("%d ps one after the other, %d ps together", apart, together)
	}
	long := append(body{}, append(pass, pass...)...)
	if got := time(merged([lanes]body{long, pass})); got != 60 {
		t.Errorf("a pass with a shorter one: %d ps", got)
	}
}

// alone returns a pass without messages.
func alone(number int) pass { return pass{body: int32(number), from: nobody, to: nobody} }
