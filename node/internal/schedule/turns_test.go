package schedule

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// TestTurns: items are served by time and then in the order in which they became eligible, and
// receives one by one, however many of them are one item.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := Turns{Queues: make([]TurnHeap, 1)}
		var want []TurnItem // in order
		add := func(x TurnItem) {
			at := slices.IndexFunc(want, func(o TurnItem) bool { return x.before(&o) })
			if at < 0 {
				at = len(want)
			}
			want = slices.Insert(want, at, x)
		}
		request := uint32(0)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			at := int64(rapid.IntRange(0, 2).Draw(t, "at"))
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				x := TurnItem{At: at, Number: y.next(), Message: fabric.MsgID(rapid.IntRange(1, 3).Draw(t, "message"))}
				y.Queues[0].Push(x)
				add(x)
			case 1:
				for range min(len(want), rapid.IntRange(1, 5).Draw(t, "pops")) {
					if x := y.Queues[0].Pop(); x != want[0] {
						t.Fatalf("found %+v, expected %+v", x, want[0])
					}
					want = want[1:]
				}
			default:
				ops := make([]core.Op, rapid.IntRange(1, 9).Draw(t, "receives"))
				for i := range ops {
					request += uint32(rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "step"))
					ops[i] = core.Op{Kind: model.Recv, Request: core.ReceiveID(request)}
				}
				y.Reserve(0, ops)
				for i := range ops {
					y.Add(0, at, &ops[i], nil, true)
					add(TurnItem{At: at, Number: y.count, Message: receives, Op: ops[i].Request})
				}
			}
			if first, _ := y.First(0, 1); first != nil && first.Receive() != 0 && first.Receive() != want[0].Op {
				t.Fatalf("the first receive is %d, expected %d", first.Receive(), want[0].Op)
			}
		}
	})
}
