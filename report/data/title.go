package data

import (
	"fmt"
	"strconv"
	"strings"

	"fabricast/record"
)

// networkTitle describes a network in one line.
func networkTitle(n *record.Network) string {
	return fmt.Sprintf(
		"%s: %s, %s",
		capital(shapeOf(n)), counted(n.Routers, "router"), counted(n.Hosts, "host"),
	)
}

// shapeOf describes the shape of a network in words.
func shapeOf(n *record.Network) string {
	switch {
	case n.Layout == record.LayoutHierarchy && n.Block != nil && n.Outer != nil:
		return "blocks in a " + shapeOf(n.Outer) + ", each of " + counted(n.Block.Routers, shapeOfBlock(n.Block))
	case n.Kind == "hyperx":
		return "HyperX " + extent(n.Dims)
	case len(n.Dims) > 0:
		return fmt.Sprintf("%d-D %s %s", len(n.Dims), n.Kind, extent(n.Dims))
	case n.Layout == record.LayoutTree:
		return "fat tree of " + counted(len(n.Children), "level")
	case n.Kind == "slim-fly":
		return "Slim Fly of " + counted(n.Groups, "group")
	case n.Groups > 0:
		return n.Kind + " of " + counted(n.Groups, "group")
	case n.File != "":
		return "graph of " + n.File
	case n.Kind == "file":
		return "graph"
	}
	return strings.ReplaceAll(n.Kind, "-", " ")
}

// shapeOfBlock describes the routers of one block (a copy of the inner topology) of a hierarchy.
func shapeOfBlock(n *record.Network) string {
	if n.Kind == "fully-connected" {
		return "fully connected router"
	}
	return "router (" + shapeOf(n) + ")"
}

// extent formats the sizes of dimensions: 4 × 4 × 8.
func extent(dims []int) string {
	words := make([]string, len(dims))
	for i, d := range dims {
		words[i] = strconv.Itoa(d)
	}
	return strings.Join(words, " × ")
}

// counted formats a count with thousands separators and a noun: "65 536 routers". It adds the
// plural s, except to text that ends in a bracket.
func counted(n int, what string) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	if n != 1 && !strings.HasSuffix(what, ")") {
		what += "s"
	} else if n != 1 {
		what = strings.Replace(what, "router ", "routers ", 1)
	}
	return digits + " " + what
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
