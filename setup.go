package fabricast

import (
	"context"

	"fabricast/internal/abandon"
)

// setUp makes what takes seconds for a large experiment. If the context ends meanwhile, nobody waits for it: it is
// dropped when it is there.
func setUp[T any](ctx context.Context, ranks int, build func() (T, error), drop func(T)) (T, error) {
	value, abandoned, err := abandon.Do(ctx, build, drop)
	if abandoned {
		err = &InterruptedError{Ranks: ranks, Err: err, SettingUp: true}
	}
	return value, err
}
