package fabricast_test

import (
	"context"
	"errors"
	"testing"

	"fabricast"
)

func TestErrorsWriteFiguresAsTheResultDoes(t *testing.T) {
	cause := errors.New("cause")
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fabricast.InterruptedError{Time: 383_474_784_000, Finished: 1234, Ranks: 65_536}, "interrupted at 383.5 ms of simulated time, 1,234 of 65,536 ranks finished (1.9 %)"},
		{&fabricast.InterruptedError{Time: 86_961_687_120, Err: context.Canceled}, "interrupted at 86.96 ms of simulated time"},
		{&fabricast.InterruptedError{Ranks: 4, SettingUp: true}, "interrupted while the simulation was being set up"},
		{&fabricast.InterruptedError{Time: 1_500, Ranks: 4, Computing: true}, "interrupted while the program computed, at 1.500 ns of simulated time"},
		{&fabricast.RunError{Rank: 3, Time: 2_234_000, Err: cause}, "rank 3 failed at 2.234 us of simulated time: cause"},
		{&fabricast.DeadlockError{Time: 0, Err: cause}, "deadlock at 0 ps of simulated time: cause"},
		{&fabricast.LossError{Time: 1 << 62, Err: cause}, "packets were lost for good at 4611686 s of simulated time: cause"},
		{&fabricast.OutageError{Time: 1_500, Err: cause}, "packets wait for links that stay down, at 1.500 ns of simulated time: cause"},
		{&fabricast.LimitError{Time: 1 << 62, Err: cause}, "the run came to a limit of the simulator at 4611686 s of simulated time: cause"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
