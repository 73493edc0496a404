package workload

import "fmt"

// pairParam is the parameter for the two ranks in programs in which only two ranks communicate.
var pairParam = Param{
	Name: "pair", Unit: "rank", Default: "[0, 1]", Summary: "the two ranks",
	given:   func(p *Params) string { return list(p.Pair) },
	resolve: resolvePair,
}

func resolvePair(p *Params, ranks int) *Problem {
	if p.Pair == nil {
		p.Pair = []int{0, 1}
	}
	right := len(p.Pair) == 2 && p.Pair[0] != p.Pair[1]
	for _, r := range p.Pair {
		right = right && r >= 0 && r < ranks
	}
	if !right {
		return &Problem{
			Param: "pair", Found: list(p.Pair),
			Expected: fmt.Sprintf("two different ranks, 0 to %d, such as [0, %d]", ranks-1, ranks-1),
		}
	}
	return nil
}

// list formats numbers as in experiment files, such as [0, 1]; "" for nil.
func list(numbers []int) string {
	if numbers == nil {
		return ""
	}
	text := "["
	for i, n := range numbers {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text + "]"
}
