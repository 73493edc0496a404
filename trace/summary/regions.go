package summary

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"fabricast/trace"
)

// Lacking returns which of some regions of the program no rank of a trace enters, and if there are any,
// the names of all regions that ranks enter, sorted. It reads no more of the trace than it must to
// see all of the regions: all of it if one is lacking. Damage ends what it reads of a rank.
func Lacking(ctx context.Context, t trace.Trace, names []string) (lacking, known []string, err error) {
	lacking = slices.Clone(names)
	source, records := t.(trace.Source)
	if !records || len(lacking) == 0 {
		return lacking, nil, nil // tasks have no regions
	}
	seen := map[string]bool{}
	for rank := 0; rank < source.Ranks() && len(lacking) > 0; rank++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if lacking, err = lackingOf(ctx, source, rank, lacking, seen); err != nil {
			return nil, nil, err
		}
	}
	return lacking, slices.Sorted(maps.Keys(seen)), nil
}

// lackingOf reads a rank until it has entered the regions that are still lacking, which it returns at
// its end.
func lackingOf(
	ctx context.Context, source trace.Source, rank int, lacking []string, seen map[string]bool,
) ([]string, error) {
	stream, err := source.Open(rank)
	var r trace.Record
	const often = 1 << 16
	for n := 1; err == nil && len(lacking) > 0; n++ {
		if err = stream.Next(&r); err == nil && r.Kind == trace.Enter && !seen[r.Name] {
			seen[r.Name] = true
			lacking = slices.DeleteFunc(lacking, func(name string) bool { return name == r.Name })
		}
		if n%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	var damage *trace.Error
	if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &damage) {
		return nil, err
	}
	return lacking, nil
}
