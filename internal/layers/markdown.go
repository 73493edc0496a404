package layers

import (
	"fmt"
	"strings"
)

// Markdown returns the table for docs/architecture.md: a row for each layer, the highest first,
// with links to the packages' folders.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| layer | packages | imports within the layer |\n|---|---|---|\n")
	for _, layer := range Table {
		packages, inside := []string{}, []string{}
		for _, p := range layer.Packages {
			packages = append(packages, fmt.Sprintf("[%s](../%s)", p, strings.TrimPrefix(p, ".")))
			for _, to := range layer.Inside[p] {
				inside = append(inside, p+" > "+to)
			}
		}
		fmt.Fprintf(
			&b, "| %s | %s | %s |\n", layer.Name, strings.Join(packages, ", "),
			strings.Join(inside, ", "),
		)
	}
	return b.String()
}
