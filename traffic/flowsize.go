package traffic

import (
	"fmt"
	"slices"
)

// SizePoint is a point of a cumulative distribution of sizes: the share of the messages, in units
// of 1/LoadUnit, that have at most so many bytes. Between two points the sizes are uniformly
// distributed.
type SizePoint struct {
	Bytes int64
	Share int64
}

// FlowSizes is a distribution of the sizes of flows that was measured in a data centre.
type FlowSizes struct {
	Name    string
	Summary string // one line, with the publication
	points  []SizePoint
}

// flowSizes lists the distributions. Their points are those that the traffic generator of HPCC has
// (github.com/alibaba-edu/High-Precision-Congestion-Control, traffic_gen).
var flowSizes = []FlowSizes{
	{
		Name:    "websearch",
		Summary: "queries and background of a web search (Alizadeh et al., DCTCP, SIGCOMM 2010)",
		points: percents(
			10_000, 15, 20_000, 20, 30_000, 30, 50_000, 40, 80_000, 53, 200_000, 60, 1_000_000, 70,
			2_000_000, 80,
			5_000_000, 90, 10_000_000, 97, 30_000_000, 100,
		),
	},
	{
		Name: "hadoop", Summary: "a Hadoop cluster of Facebook (Roy et al., SIGCOMM 2015)",
		points: percents(
			100, 1, 200, 2, 300, 5, 350, 15, 400, 20, 500, 30, 600, 40, 700, 50, 1_000, 60, 2_000, 67, 7_000,
			70,
			30_000, 72, 50_000, 82, 80_000, 87, 120_000, 90, 300_000, 95, 1_000_000, 97.5, 2_000_000, 99,
			10_000_000, 100,
		),
	},
	{
		Name: "storage", Summary: "distributed storage of Alibaba, 2019 (Li et al., HPCC, SIGCOMM 2019)",
		points: percents(
			4_000, 22.93, 8_000, 69.21, 16_000, 80.61, 32_000, 90.47, 64_000, 93.53, 128_000, 96.77, 256_000,
			97.53,
			2_000_000, 100,
		),
	},
}

// percents returns points from pairs of bytes and percent. Each is a multiple of a hundredth.
func percents(pairs ...float64) (points []SizePoint) {
	const hundredth = LoadUnit / 10_000
	for pair := range slices.Chunk(pairs, 2) {
		points = append(points, SizePoint{int64(pair[0]), int64(pair[1]*100+0.5) * hundredth})
	}
	return points
}

// FlowSizeNames lists the names of the distributions.
func FlowSizeNames() (names []string) {
	for i := range flowSizes {
		names = append(names, flowSizes[i].Name)
	}
	return names
}

// FlowSizesOf returns the classes of sizes of a distribution with a name; nil if there is none.
func FlowSizesOf(name string) []SizeClass {
	for i := range flowSizes {
		if flowSizes[i].Name == name {
			classes, _ := SizesBetween(flowSizes[i].points)
			return classes
		}
	}
	return nil
}

// SizesBetween returns the classes of sizes of a cumulative distribution. Its points must be in the
// order of their bytes, without two equal, and end with a share of 1. The first point may have a
// share of 0: then it is the lower end of the sizes. The Entry of a *Problem is 1 + the index of
// the point that is wrong.
func SizesBetween(points []SizePoint) ([]SizeClass, *Problem) {
	if len(points) == 0 {
		return nil, &Problem{Field: "size", Found: "no size", Expected: "at least one, with 100 %"}
	}
	var classes []SizeClass
	before := SizePoint{}
	for i, p := range points {
		wrong := func(found, expected string) ([]SizeClass, *Problem) {
			return nil, &Problem{Field: "size", Found: found, Expected: expected, Entry: i + 1}
		}
		switch {
		case p.Bytes < 0 || p.Bytes <= before.Bytes && i > 0:
			return wrong(fmt.Sprintf("%d bytes", p.Bytes), fmt.Sprintf("more than %d", before.Bytes))
		case p.Share < before.Share || p.Share > LoadUnit:
			return wrong(percent(p.Share), fmt.Sprintf("a share from %s to 100 %%", percent(before.Share)))
		case p.Bytes-before.Bytes > maxSpread:
			return wrong(fmt.Sprintf("%d bytes", p.Bytes),
				fmt.Sprintf("at most %d more than before", maxSpread))
		case p.Share > before.Share:
			classes = append(classes,
				SizeClass{From: min(before.Bytes+1, p.Bytes), To: p.Bytes, Share: p.Share - before.Share})
		}
		before = p
	}
	if before.Share != LoadUnit {
		return nil, &Problem{
			Field: "size", Found: percent(before.Share),
			Expected: "100 % at the last size", Entry: len(points),
		}
	}
	return classes, nil
}

// percent formats a share.
func percent(share int64) string { return fmt.Sprintf("%g %%", float64(share)*100/LoadUnit) }
