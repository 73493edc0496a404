package chakra

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"fabricast/trace"
)

// jsonReader reads nodes from JSON. The file is either an object with the list "workload_graph", or
// a sequence of objects: first the metadata, then one object per node (the JSON form of the
// protocol buffers).
type jsonReader struct {
	path    string
	in      *json.Decoder
	started bool
	list    bool // the file is an object with a list of nodes
	ended   bool
}

// fail returns an error at the current position.
func (r *jsonReader) fail(what, found, expected string) error {
	return &trace.Error{
		File:     r.path,
		Offset:   max(1, r.in.InputOffset()),
		What:     what,
		Found:    found,
		Expected: expected,
	}
}

// read reads the next node. It returns io.EOF after the last one.
func (r *jsonReader) read(n *node) error {
	if !r.started {
		r.started = true
		if err := r.begin(); err != nil {
			return r.wrong(err)
		}
	}
	if r.ended || r.list && !r.in.More() {
		return r.end()
	}
	n.reset()
	n.at = max(1, r.in.InputOffset())
	var keys map[string]json.RawMessage
	if err := r.in.Decode(&keys); err != nil {
		if err == io.EOF && !r.list {
			return io.EOF
		}
		return r.wrong(err)
	}
	return r.node(n, keys)
}

// begin reads everything before the first node.
func (r *jsonReader) begin() error {
	if t, err := r.in.Token(); err != nil || t != json.Delim('{') {
		return cmp.Or(err, r.fail("JSON", fmt.Sprint(t), "an object"))
	}
	for r.in.More() {
		key, err := r.in.Token()
		if err != nil {
			return err
		}
		if key != "workload_graph" {
			var skipped json.RawMessage
			if err := r.in.Decode(&skipped); err != nil {
				return err
			}
			continue
		}
		t, err := r.in.Token()
		if err != nil {
			return err
		}
		if t != json.Delim('[') {
			return r.fail("workload_graph", fmt.Sprint(t), "a list of nodes")
		}
		r.list = true
		return nil
	}
	_, err := r.in.Token() // the end of the metadata
	return err
}

// end reads the rest of the file after the last node. It returns io.EOF if the file is complete.
func (r *jsonReader) end() error {
	if r.list && !r.ended {
		if _, err := r.in.Token(); err != nil { // the end of the list
			return r.wrong(err)
		}
		if err := r.members(); err != nil {
			return r.wrong(err)
		}
		r.ended = true
	}
	t, err := r.in.Token()
	if err == nil {
		err = r.fail("JSON", fmt.Sprint(t), "the end of the file")
	}
	if err == io.EOF {
		return err
	}
	return r.wrong(err)
}

// members skips the remaining members of the outer object, and its closing brace.
func (r *jsonReader) members() error {
	for r.in.More() {
		if _, err := r.in.Token(); err != nil {
			return err
		}
		var skipped json.RawMessage
		if err := r.in.Decode(&skipped); err != nil {
			return err
		}
	}
	_, err := r.in.Token()
	return err
}

// wrong converts an error of the JSON decoder to a *trace.Error. It returns other errors unchanged.
func (r *jsonReader) wrong(err error) error {
	var e *trace.Error
	if system(err) || errors.As(err, &e) {
		return err
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("the end of the file")
	}
	return r.fail("JSON", err.Error(), "an object for each node")
}

// node fills in n from the members of a JSON object. It reads the ID first, so that error messages
// can name the node.
func (r *jsonReader) node(n *node, keys map[string]json.RawMessage) error {
	for _, key := range []string{"Id", "id"} {
		if v, found := keys[key]; found {
			var err error
			if n.id, err = integer(v); err != nil {
				return r.member(n, "node: "+key, v, err)
			}
		}
	}
	for _, key := range sorted(keys) {
		var err error
		v := keys[key]
		switch key {
		case "Name", "name":
			n.name, err = text(v)
		case "NodeType", "type":
			n.kind, err = kindOf(v)
		case "data_deps", "dataDeps":
			err = n.dependencies(v)
		case "startTimeMicros", "start_time_micros":
			n.start, err = integer(v)
		case "runtime", "durationMicros", "duration_micros":
			n.duration, err = integer(v)
		case "pg_name":
			var s string
			if s, err = text(v); err == nil {
				n.text(key, s)
			}
		case "attr":
			err = n.attributes(v)
		case "is_cpu_op",
			"num_ops",
			"comm_type",
			"comm_size",
			"comm_src",
			"comm_dst",
			"comm_tag",
			"stream",
			"tid":
			var i uint64
			if i, err = integer(v); err == nil {
				n.integer(key, i)
			}
		}
		if err != nil {
			return r.member(n, fmt.Sprintf("node %d: %s", n.id, key), v, err)
		}
	}
	return nil
}

// member returns an error for the value v of a member of a node's JSON object.
func (r *jsonReader) member(n *node, what string, v json.RawMessage, expected error) error {
	return &trace.Error{
		File: r.path, Offset: n.at, What: what,
		Found: string(v[:min(len(v), 40)]), Expected: expected.Error(),
	}
}

// sorted returns the keys in alphabetical order.
func sorted(keys map[string]json.RawMessage) []string {
	list := make([]string, 0, len(keys))
	for k := range keys {
		list = append(list, k)
	}
	slices.SortFunc(list, strings.Compare)
	return list
}

// kindOf parses the type of a node, given as an index or a name in typeNames.
func kindOf(v json.RawMessage) (uint64, error) {
	if s, err := text(v); err == nil {
		if i := slices.Index(typeNames, s); i >= 0 {
			return uint64(i), nil
		}
	}
	return integer(v)
}

// text parses v as a string.
func text(v json.RawMessage) (s string, err error) {
	if json.Unmarshal(v, &s) != nil {
		err = errors.New("a string")
	}
	return s, err
}

// integer parses v as an integer. v is a number, a string that contains a number, a boolean or
// null.
func integer(v json.RawMessage) (uint64, error) {
	s := strings.Trim(string(v), `"`)
	switch s {
	case "true":
		return 1, nil
	case "false", "null":
		return 0, nil
	}
	if i, err := strconv.ParseUint(s, 10, 64); err == nil {
		return i, nil
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return uint64(i), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, errors.New("a number")
	}
	return whole(f), nil
}

// dependencies parses v as the list of the IDs of the nodes that n depends on.
func (n *node) dependencies(v json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		return errors.New("a list of nodes")
	}
	for _, e := range list {
		id, err := integer(e)
		if err != nil {
			return err
		}
		n.deps = append(n.deps, id)
	}
	return nil
}

// attributes parses v as attributes in the JSON form of protocol buffers: a list of objects, each
// with a name and a value.
func (n *node) attributes(v json.RawMessage) error {
	var list []map[string]json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		return errors.New("a list of attributes")
	}
	for _, a := range list {
		name, err := text(a["name"])
		if err != nil {
			return errors.New("attributes with names")
		}
		for _, key := range sorted(a) {
			v := a[key]
			switch {
			case key == "stringVal" || key == "string_val":
				if s, err := text(v); err == nil {
					n.text(name, s)
				}
			case strings.HasSuffix(key, "Val") || strings.HasSuffix(key, "_val"):
				if i, err := integer(v); err == nil {
					n.integer(name, i)
				}
			}
		}
	}
	return nil
}
