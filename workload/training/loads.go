package training

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/internal/config"
)

// Loads are the numbers of tokens that experts got in a measured step, by layer with experts, then by
// expert. Only their proportions within a layer count.
type Loads [][]int64

// mostLoad is the largest number of tokens of an expert.
const mostLoad = 1 << 52

// ParseLoads reads a line for each layer with experts, with a number of tokens for each expert, between
// spaces, tabs or commas. Empty lines, and what follows #, are skipped.
func ParseLoads(source *config.Source) (*Loads, config.Problems) {
	var list Loads
	var problems config.First
	number := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(source.Text, "\ufeff"), "\n") {
		number++
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		p := loadParser{source: source, number: number, problems: &problems}
		layer := p.layer(line)
		if len(list) > 0 && len(layer) != len(list[0]) {
			p.fail(0, fmt.Sprintf("%d numbers", len(layer)), fmt.Sprintf("%d, as in the first line: one for each expert", len(list[0])))
		}
		if list = append(list, layer); problems.Enough() {
			break
		}
	}
	if len(list) == 0 {
		p := loadParser{source: source, number: 1, problems: &problems}
		p.fail(0, "no numbers", "a line for each layer with experts, with the tokens of each expert")
	}
	return &list, problems.Problems()
}

// loadParser parses a line.
type loadParser struct {
	source   *config.Source
	number   int // of the line, from 1
	problems *config.First
}

func (p *loadParser) layer(line string) (list []int64) {
	between := func(r rune) bool { return strings.ContainsRune(" \t\r,", r) }
	for at := 0; at < len(line); {
		if between(rune(line[at])) {
			at++
			continue
		}
		end := len(line)
		if n := strings.IndexFunc(line[at:], between); n >= 0 {
			end = at + n
		}
		n, err := strconv.ParseInt(line[at:end], 10, 64)
		if err != nil || n < 0 || n > mostLoad {
			p.fail(
				utf8.RuneCountInString(line[:at]), strconv.Quote(line[at:end]),
				fmt.Sprintf("a whole number of tokens from 0 to %d", int64(mostLoad)),
			)
		}
		list, at = append(list, n), end
	}
	if len(list) > 0 && slices.Max(list) == 0 {
		p.fail(0, "a layer without tokens", "an expert with tokens")
	}
	return list
}

// fail records what is wrong at a character of the line, counted from 0.
func (p *loadParser) fail(at int, found, expected string) {
	p.problems.Add(config.Problem{
		Position: config.Position{Source: p.source, Line: p.number, Column: at + 1}, Field: "tokens",
		Found: found, Expected: expected,
	})
}

// weights returns the weights of the experts of a layer, counted from the first with experts. They are
// in proportion to its line, and from 1 to 2^53. With fewer lines than layers, lines are used again.
func (l Loads) weights(number int) []int64 {
	list := slices.Clone(l[number%len(l)])
	shift := bits.Len64(mostLoad) - bits.Len64(uint64(slices.Max(list)))
	for i := range list {
		list[i] = max(1, list[i]<<shift)
	}
	return list
}
