package workload

import (
	"fmt"

	"fabricast/collective/tables"
	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/node"
	"fabricast/workload/gpu"
	"fabricast/workload/serving"
	"fabricast/workload/training"
	"fabricast/workload/transformer"
)

// Serving is the name of the program of package serving.
const Serving = "serving"

// serves answers requests to a transformer (docs/serving.md).
var _ = register(200, Program{
	Name: Serving, MinRanks: 1,
	Summary: "a served transformer, whose instances answer requests that arrive over time",
	Params: []Param{
		ofTraining(
			"model", transformer.Presets()[0], "the transformer: a preset, or its sizes",
			func(j *training.Job) any { return j.Model },
		),
		ofTraining(
			"parallel", "tensor: up to 8", "how many ranks of an instance divide the work: tensor and expert",
			func(j *training.Job) any { return j.Parallel },
		),
		ofTraining(
			"accelerator", gpu.Presets()[0], "the GPU of a rank: a preset, or its rates",
			func(j *training.Job) any { return j.Accelerator },
		),
		{
			Name: "file", Default: "requests are drawn", Summary: "a trace of arrivals: CSV with the columns of the Azure traces",
			given:   fileParam.given,
			resolve: func(p *Params, _ int) *Problem { return p.readArrivals() },
		},
		ofServing("arrivals", "16 requests", "requests that are drawn", func(j *serving.Job) any { return j.Arrivals }),
		ofServing("batching", "as in vLLM", "limits of what an instance works on", func(j *serving.Job) any { return j.Batching }),
		ofServing(
			"pools", "none", "instances for prompts, and for the tokens after the first",
			func(j *serving.Job) any { return j.Pools },
		),
		ofServing("slo", "none", "latencies that a request should not exceed", func(j *serving.Job) any { return j.Objectives }),
	},
	check:  checkServing,
	launch: func(p *Params, ranks int, table *tables.Table) node.Launcher { return p.Serving.Launch(ranks, table) },
})

// ofServing returns a parameter of the program serving. field returns its part of the job.
func ofServing(name, otherwise, summary string, field func(j *serving.Job) any) Param {
	return Param{
		Name: name, Default: otherwise, Summary: summary,
		given: func(p *Params) string {
			if v := field(&p.Serving); v != field(new(serving.Job)) {
				return fmt.Sprint(v)
			}
			return ""
		},
		resolve: func(*Params, int) *Problem { return nil }, // see checkServing
	}
}

// arrivals are the requests that a file holds.
type arrivals struct {
	path string
	list []serving.Request
}

// readArrivals reads the trace of arrivals, unless it has been read or there is none.
func (p *Params) readArrivals() *Problem {
	switch {
	case p.File == "":
		p.arrivals = nil
		return nil
	case p.arrivals != nil && p.arrivals.path == p.File:
		return nil
	}
	text, err := input.Text(p.File, input.Arrivals)
	if err != nil {
		return unread(err)
	}
	list, problems := serving.ParseArrivals(&config.Source{Name: p.File, Text: text})
	if len(problems) > 0 {
		return &Problem{Param: "file", Lines: problems}
	}
	p.arrivals = &arrivals{p.File, list}
	return nil
}

// Served returns the job of the program serving, whose parts are in several fields.
func (p *Params) Served() *serving.Job {
	j, of := p.Serving, &p.Training
	j.Model, j.Accelerator, j.Tensor, j.Expert = of.Model, of.Accelerator, of.Parallel.Tensor, of.Parallel.Expert
	j.Requests = nil
	if p.arrivals != nil {
		j.Requests = p.arrivals.list
	}
	return &j
}

// checkServing fills in the defaults of a service, and returns what is wrong with it.
func checkServing(p *Params, ranks int) (list []*Problem) {
	of := &p.Training.Parallel
	if only := (training.Parallel{Tensor: of.Tensor, Expert: of.Expert}); *of != only {
		return []*Problem{{
			Param: "parallel", Found: "other degrees than tensor and expert",
			Expected: "tensor and expert: the other ranks are further instances",
		}}
	}
	job, problems := p.Served().Resolved(ranks)
	for _, one := range problems {
		list = append(list, &Problem{
			Param: one.Field, Found: one.Found, Expected: one.Expected, Choices: wordsOfTraining(one.Field),
		})
	}
	p.Serving = job
	p.Training.Model, p.Training.Accelerator, of.Tensor, of.Expert = job.Model, job.Accelerator, job.Tensor, job.Expert
	return list
}
