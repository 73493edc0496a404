package summary

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"fabricast/trace"
)

// Lacking returns those of the given region names that no rank of trace t enters. If there are any,
// known lists the names of all regions in the trace, sorted. Lacking stops reading as soon as it
// has found all names. In damaged files, it uses the readable part.
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

// lackingOf reads a rank until it has found all regions in lacking, and returns those not found. It
// adds all regions that it reads to seen.
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
