package aicb

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"fabricast/internal/input"
	"fabricast/trace"
)

// Name is the name of the format.
const Name = "AICB"

// policies are the words with which the files begin.
var policies = []string{"HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER"}

// Bounds of what files may have.
const (
	mostGPUs   = 1 << 20
	mostLayers = 1 << 20
	mostBytes  = 1 << 50
	mostTime   = 1e15 // ns
)

// Is reports whether begin is the start of a workload.
func Is(begin []byte) bool {
	words := strings.Fields(string(begin))
	return len(words) > 0 && strings.HasPrefix(words[0], policies[1])
}

// workload is a workload as it is read.
type workload struct {
	*trace.Lines
	sizes       map[string]int // by key of the head
	checkpoints []int          // layers from which a forward pass is repeated
	initiators  []int          // layers before whose backward pass it is
	layers      []layer
}

// layer is a line: what a layer does in each of its passes.
type layer struct {
	name   string
	passes [3]pass
	update int64 // ns
}

// pass is a computation and the collective after it.
type pass struct {
	time int64 // ns
	call call
}

// Passes of a layer.
const (
	forward = iota
	inputGradient
	weightGradient
)

var passNames = [3]string{"forward", "input gradient", "weight gradient"}

// call is a collective of some GPUs; Bytes is 0 if there is none.
type call struct {
	kind  trace.CollectiveKind
	group groupKind
	bytes int64
}

// Open opens a workload. path is its file, or the folder with one .txt file of the format.
func Open(path string) (trace.Graph, error) {
	path, err := file(path)
	if err != nil {
		return nil, err
	}
	w := &workload{Lines: trace.NewLines(path, 1), sizes: map[string]int{}}
	if err := w.read(); err != nil {
		return nil, err
	}
	return newGraph(w), nil
}

// file returns the file of a workload, which may be given by its folder.
func file(path string) (string, error) {
	info, err := input.About(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	entries, err := trace.Files(path)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".txt" {
			continue
		}
		text, err := input.Beginning(filepath.Join(path, e.Name()), input.Trace)
		if err != nil {
			return "", err
		}
		if Is([]byte(text)) {
			found = append(found, e.Name())
		}
	}
	if len(found) != 1 {
		return "", &trace.Error{
			File: path, What: "workload", Found: fmt.Sprintf("%d files", len(found)), Expected: "one",
		}
	}
	return filepath.Join(path, found[0]), nil
}

func (w *workload) read() error {
	if err := w.line("head"); err != nil {
		return err
	}
	if err := w.head(); err != nil {
		return err
	}
	if err := w.line("number of layers"); err != nil {
		return err
	}
	count, err := w.whole("number of layers", strings.Join(w.Words, " "), 1, mostLayers)
	if err != nil {
		return err
	}
	for i := range count {
		if err := w.line(fmt.Sprintf("layer %d of %d", i+1, count)); err != nil {
			return err
		}
		if err := w.layer(); err != nil {
			return err
		}
	}
	if err := w.Next(); err == nil {
		return w.Fail("line", trace.Quoted(strings.Join(w.Words, " ")), fmt.Sprintf("no more than %d layers", count))
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return w.repeats()
}

// line reads the next line, which must exist.
func (w *workload) line(what string) error {
	err := w.Next()
	if errors.Is(err, io.EOF) {
		return w.Fail(what, "the end of the file", "a line for it")
	}
	return err
}

// whole parses an integer from least to most.
func (w *workload) whole(what, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, w.Fail(what, trace.Quoted(text), fmt.Sprintf("a whole number from %d to %d", least, most))
	}
	return n, nil
}

// words of a line of a layer.
const words = 12

func (w *workload) layer() (err error) {
	if len(w.Words) != words {
		return w.Fail("layer", fmt.Sprintf("%d words", len(w.Words)), fmt.Sprintf(
			"%d: name, dependency, time, collective and bytes of %s, %s and %s, time of the update",
			words, passNames[0], passNames[1], passNames[2],
		))
	}
	l := layer{name: w.Words[0]}
	if _, err := w.whole("dependency", w.Words[1], -1, mostLayers); err != nil {
		return err
	}
	for i := range l.passes {
		if l.passes[i], err = w.pass(i, w.Words[2+3*i:5+3*i]); err != nil {
			return err
		}
	}
	if l.update, err = w.whole("update", w.Words[words-1], 0, mostTime); err != nil {
		return err
	}
	w.layers = append(w.layers, l)
	return nil
}

// kinds are the collectives by their words.
var kinds = map[string]trace.CollectiveKind{
	"ALLREDUCE": trace.Allreduce, "ALLGATHER": trace.Allgather,
	"REDUCESCATTER": trace.ReduceScatter, "ALLTOALL": trace.Alltoall,
}

// pass parses the time, collective and bytes of a pass.
func (w *workload) pass(i int, words []string) (p pass, err error) {
	if p.time, err = w.whole(passNames[i]+" time", words[0], 0, mostTime); err != nil {
		return p, err
	}
	if p.call.bytes, err = w.whole(passNames[i]+" bytes", words[2], 0, mostBytes); err != nil {
		return p, err
	}
	name, suffix, _ := strings.Cut(words[1], "_")
	if words[1] == "NONE" {
		p.call.bytes = 0
		return p, nil
	}
	kind, known := kinds[name]
	p.call.kind = kind
	switch suffix {
	case "":
		p.call.group = tensorGroup
		if i == weightGradient {
			p.call.group = dataGroup
		}
	case "EP":
		p.call.group = expertGroup
	case "DP_EP":
		p.call.group = expertDataGroup
	default:
		known = false
	}
	if !known {
		return p, w.Fail(passNames[i]+" collective", trace.Quoted(words[1]),
			"NONE, or ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, alone or with _EP or _DP_EP")
	}
	return p, nil
}
