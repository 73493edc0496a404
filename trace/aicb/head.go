package aicb

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/trace"
)

// Keys of the head.
const (
	tensorKey   = "model_parallel_NPU_group"
	expertKey   = "ep"
	pipelineKey = "pp"
	gpusKey     = "all_gpus"
)

// keys are the keys of the head that are followed by one number, with the least they may be.
var keys = map[string]int64{
	tensorKey: 1, expertKey: 1, pipelineKey: 1, "vpp": 1, "ga": 1, gpusKey: 1, "pp_comm": 0,
}

// head reads the first line.
func (w *workload) head() error {
	if !slices.Contains(policies, w.Words[0]) {
		return w.Fail("parallelization", trace.Quoted(w.Words[0]), strings.Join(policies, " or "))
	}
	for rest := w.Words[1:]; len(rest) > 0; {
		key := strings.TrimSuffix(rest[0], ":")
		least, single := keys[key]
		switch {
		case single && len(rest) > 1:
			n, err := w.whole(key, rest[1], least, mostBytes)
			if err != nil {
				return err
			}
			w.sizes[key], rest = int(n), rest[2:]
		case key == "checkpoints" || key == "checkpoint_initiates":
			list, after, err := w.numbers(key, rest[1:])
			if err != nil {
				return err
			}
			if rest = after; key == "checkpoints" {
				w.checkpoints = list
			} else {
				w.initiators = list
			}
		case single:
			return w.Fail(key, "the end of the line", "a number")
		default:
			return w.Fail("head", trace.Quoted(rest[0]), "a key of SimAI, such as all_gpus:")
		}
	}
	return w.divide()
}

// numbers parses a list that begins with its length, and returns the words after it.
func (w *workload) numbers(key string, words []string) (list []int, rest []string, err error) {
	if len(words) == 0 {
		return nil, nil, w.Fail(key, "the end of the line", "a number")
	}
	count, err := w.whole(key, words[0], 0, int64(len(words)-1))
	if err != nil {
		return nil, nil, err
	}
	for _, text := range words[1 : 1+count] {
		n, err := w.whole(key, text, 0, mostLayers)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, int(n))
	}
	return list, words[1+count:], nil
}

// divide checks that groups divide the GPUs.
func (w *workload) divide() error {
	all, found := w.sizes[gpusKey]
	if !found || all > mostGPUs {
		return w.Fail(gpusKey, trace.Quoted(fmt.Sprint(all)), fmt.Sprintf("a number from 1 to %d", mostGPUs))
	}
	for _, key := range []string{tensorKey, expertKey, pipelineKey} {
		w.sizes[key] = max(w.sizes[key], 1)
	}
	of := all
	for _, key := range []string{tensorKey, pipelineKey, expertKey} {
		if of%w.sizes[key] != 0 {
			return w.Fail(key, fmt.Sprint(w.sizes[key]), fmt.Sprintf("a divisor of %d GPUs", of))
		}
		of /= w.sizes[key]
	}
	return nil
}

// repeats checks the layers whose forward pass is repeated.
func (w *workload) repeats() error {
	for _, list := range [][]int{w.checkpoints, w.initiators} {
		for _, i := range list {
			if i >= len(w.layers) {
				return &trace.Error{
					File: w.Path, Offset: 1, Text: true, What: "checkpoints", Found: fmt.Sprint("layer ", i),
					Expected: fmt.Sprintf("layers from 0 to %d", len(w.layers)-1),
				}
			}
		}
	}
	for _, i := range w.initiators {
		if w.checkpoint(i) < 0 {
			return &trace.Error{
				File: w.Path, Offset: 1, Text: true, What: "checkpoint_initiates", Found: fmt.Sprint("layer ", i),
				Expected: "a layer with a checkpoint at it or before it",
			}
		}
	}
	return nil
}

// checkpoint returns the last checkpoint at a layer or before it, -1 if there is none.
func (w *workload) checkpoint(layer int) int {
	at := -1
	for _, c := range w.checkpoints {
		if c <= layer {
			at = max(at, c)
		}
	}
	return at
}
