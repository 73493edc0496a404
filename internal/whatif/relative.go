package whatif

import (
	"fmt"
	"math/big"
	"strings"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/pattern"
)

var (
	share    = pattern.Lazy(`^[+-](\d+(?:\.\d+)?)\s*%$`)
	quantity = pattern.Lazy(`^(\d+(?:\.\d+)?)(\s*[A-Za-z/]*)$`)
)

// Assignment returns an assignment that sets a field: it turns a relative one, such as
// network.link.bandwidth=+10%, into the new value of the field in the experiment.
func Assignment(e *experiment.Experiment, text string) (string, error) {
	path, value, given := strings.Cut(text, "=")
	if !given {
		return "", fmt.Errorf("found --what-if %s, expected a field and its value, such as network.link.bandwidth=+10%%", text)
	}
	by := share().FindStringSubmatch(value)
	if by == nil {
		return text, nil
	}
	yaml, err := e.YAML()
	if err != nil {
		return "", err
	}
	root, err := config.Parse(&config.Source{Name: "experiment", Text: string(yaml)})
	if err != nil {
		return "", err
	}
	node := config.Get(root, path)
	if node == nil {
		return text, nil // a field that does not exist: whoever sets it says so, and what may be meant
	}
	parts := quantity().FindStringSubmatch(node.Text)
	if parts == nil {
		return "", fmt.Errorf("found --what-if %s, expected a field with a number, of which %s is a share", text, value)
	}
	number, _ := new(big.Rat).SetString(parts[1])
	factor, _ := new(big.Rat).SetString(by[1])
	factor.Quo(factor, big.NewRat(100, 1))
	if value[0] == '-' {
		factor.Neg(factor)
	}
	number.Mul(number, factor.Add(factor, big.NewRat(1, 1)))
	return path + "=" + decimal(number, strings.TrimSpace(parts[2])) + parts[2], nil
}

// decimal writes a number. Numbers of bytes and ps, and numbers without a unit, are whole.
func decimal(n *big.Rat, unit string) string {
	switch unit {
	case "", "B", "ps", "B/s":
		return n.FloatString(0)
	}
	const digits = 9
	text := n.FloatString(digits)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
