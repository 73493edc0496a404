package config

// EachValue calls f with the dotted path and the text of every field that is not a mapping, in the
// order of the file. A list counts as one value.
func EachValue(n *Node, f func(path, value string)) { eachValue(n, "", f) }

func eachValue(n *Node, path string, f func(path, value string)) {
	if n.Kind != Mapping || len(n.Fields) == 0 {
		f(path, n.Flow())
		return
	}
	for _, field := range n.Fields {
		below := field.Key
		if path != "" {
			below = path + "." + field.Key
		}
		eachValue(field.Value, below, f)
	}
}
