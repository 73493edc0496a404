package workload

import (
	"fmt"
	"slices"

	"fabricast/collective/tables"
	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/node"
	"fabricast/workload/gpu"
	"fabricast/workload/training"
	"fabricast/workload/transformer"
)

// Training is the name of the program of package training.
const Training = "training"

// training has the computation and communication of a training step of a transformer (docs/training.md).
var _ = register(190, Program{
	Name: Training, MinRanks: 1,
	Summary: "training steps of a transformer, from a description of the model and of how it is divided",
	Params: []Param{
		ofTraining(
			"model", transformer.Presets()[0], "the transformer: a preset, or its sizes",
			func(j *training.Job) any { return j.Model },
		),
		ofTraining(
			"parallel", "data: all ranks", "how many ranks divide the work in each way",
			func(j *training.Job) any { return j.Parallel },
		),
		ofTraining(
			"batch", "a microbatch for each stage and data rank", "sequences of a step",
			func(j *training.Job) any { return j.Batch },
		),
		ofTraining(
			"microbatch", "1", "sequences of a pass of a data rank",
			func(j *training.Job) any { return j.Microbatch },
		),
		ofTraining(
			"schedule", "1f1b, or interleaved with several chunks a stage", "the order of passes in the pipeline",
			func(j *training.Job) any { return j.Schedule },
		),
		ofTraining(
			"recompute", "none", "activations that are computed again",
			func(j *training.Job) any { return j.Recompute },
		),
		ofTraining(
			"overlap", "all", "communication beside computation: all, data, pipeline or none",
			func(j *training.Job) any { return j.Overlap },
		),
		ofTraining(
			"accelerator", gpu.Presets()[0], "the GPU of a rank: a preset, or its rates",
			func(j *training.Job) any { return j.Accelerator },
		),
		ofTraining(
			"times", "computed", "measured times of layers, in place of computed ones",
			func(j *training.Job) any { return j.Times },
		),
		ofTraining(
			"routing", training.Distributions()[0], "how many tokens each expert gets, and how they travel",
			func(j *training.Job) any { return j.Routing },
		),
		{
			Name: "file", Default: "`routing.distribution`",
			Summary: "tokens of each expert: a line of numbers for each layer with experts",
			given:   fileParam.given,
			resolve: func(p *Params, _ int) *Problem { return p.readLoads() },
		},
		iterationsParam,
	},
	check: checkTraining,
	launch: func(p *Params, _ int, table *tables.Table) node.Launcher {
		return p.Trained().Launch(p.Iterations, table)
	},
})

// ofTraining returns a parameter of the program training. field returns its part of the job.
func ofTraining(name, otherwise, summary string, field func(j *training.Job) any) Param {
	return Param{
		Name: name, Default: otherwise, Summary: summary,
		given: func(p *Params) string {
			if v := field(&p.Training); v != field(new(training.Job)) {
				return fmt.Sprint(v)
			}
			return ""
		},
		resolve: func(*Params, int) *Problem { return nil }, // see checkTraining
	}
}

// loads are the tokens of experts that a file holds.
type loads struct {
	path string
	list *training.Loads
}

// readLoads reads the tokens of experts, unless they have been read or there are none.
func (p *Params) readLoads() *Problem {
	switch {
	case p.File == "":
		p.loads = nil
		return nil
	case p.loads != nil && p.loads.path == p.File:
		return nil
	}
	text, err := input.Text(p.File, input.Loads)
	if err != nil {
		return unread(err)
	}
	list, problems := training.ParseLoads(&config.Source{Name: p.File, Text: text})
	if len(problems) > 0 {
		return &Problem{Param: "file", Lines: problems}
	}
	p.loads = &loads{p.File, list}
	return nil
}

// Trained returns the job of the program training, with what its file says.
func (p *Params) Trained() *training.Job {
	j := p.Training
	if j.Loads = nil; p.loads != nil {
		j.Loads = p.loads.list
	}
	return &j
}

// checkTraining fills in the defaults of a training job, and returns what is wrong with it.
func checkTraining(p *Params, ranks int) (list []*Problem) {
	job, problems := p.Trained().Resolved(ranks)
	for _, one := range problems {
		list = append(list, &Problem{
			Param: one.Field, Found: one.Found, Expected: one.Expected, Choices: wordsOfTraining(one.Field),
		})
	}
	p.Training = job
	return list
}

// wordsOfTraining lists the words of a field of training, nil if it has none.
func wordsOfTraining(field string) []string {
	switch field {
	case "model.preset":
		return transformer.Presets()
	case "accelerator.preset":
		return gpu.Presets()
	case "schedule":
		return training.Schedules()
	case "recompute":
		return training.Recomputations()
	case "overlap":
		return training.Overlaps()
	case "routing.distribution":
		return training.Distributions()
	}
	return nil
}

// WordsOf lists the words of a parameter of a program by the path of its field; nil if there are
// none, or if they depend on the program.
func WordsOf(field string) []string {
	switch field {
	case "by":
		return []string{BySend, ByPut}
	case "model.activation":
		return []string{transformer.GELU, transformer.SwiGLU}
	case "model.attention":
		return []string{transformer.Unfused, transformer.Flash}
	case "model.embeddings":
		return []string{transformer.Tied, transformer.Untied}
	}
	return slices.Clone(wordsOfTraining(field))
}
