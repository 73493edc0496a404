package fabricast

import (
	"fabricast/internal/plan"
	"fabricast/internal/predict"
)

// PreviewSchema names the JSON layout of a Preview and its version.
const PreviewSchema = predict.PreviewSchema

// Preview holds what is known about an experiment before it runs: the numbers of hosts, routers and
// links, latencies on an idle network, the memory needed, and the result of the check for deadlock.
// FindPacing and FindCapacity add results that take longer to compute.
type Preview struct {
	predict.Preview

	// Experiment is the experiment with every default filled in, including those that follow from
	// the network.
	Experiment *Experiment `json:"-"`
}

// Parts of a preview.
type (
	ZeroLoad      = predict.ZeroLoad  // what a message takes on an idle network
	RoundTrip     = predict.RoundTrip // what links carry until a credit is back
	Forecast      = plan.Forecast     // how much memory a run will need
	WorkForecast  = predict.Work      // what a run will do, and the time that takes
	Shared        = predict.Shared    // how several processes share it
	Division      = predict.Division  // what a partition among them is worth
	Scaling       = predict.Scaling   // what the processes are worth
	ScalingOfSize = predict.ScalingOfSize
	Capacity      = predict.Capacity     // the load at which the busiest link would be full
	PacingResult  = predict.PacingResult // the gaps of the steps of a collective
)

// Values of ZeroLoad.Protocol.
const (
	ByEager           = predict.ByEager
	ByOneCopy         = predict.ByOneCopy
	BySynchronous     = predict.BySynchronous
	ByRendezvousWrite = predict.ByRendezvousWrite
	ByRendezvousRead  = predict.ByRendezvousRead
	ByPut             = predict.ByPut
	ByTraffic         = predict.ByTraffic
)

// Values of Division.Traffic: that of the experiment, the packets of its program, or packets between
// nodes drawn at random, if nothing more is known.
const (
	OfTraffic = predict.OfTraffic
	OfProgram = predict.OfProgram
	OfRandom  = predict.OfRandom
)

// SurveySchema names the JSON layout of a Survey and its version.
const SurveySchema = predict.SurveySchema

// The network of an experiment and its properties (Experiment.Layout, Layout.Survey). The JSON keys
// are described in docs/formats/network.md.
type (
	Layout      = predict.Layout      // the network laid out: to be surveyed, drawn and exported
	Survey      = predict.Survey      // what the network is like
	LinkClass   = predict.LinkClass   // a class of links that are alike
	Distance    = predict.Distance    // how far hosts are apart, in links between routers
	Bisection   = predict.Bisection   // the least bandwidth between two halves of the hosts
	Route       = predict.Route       // a way that packets take
	Hop         = predict.Hop         // the output that packets take at a router
	RouteSearch = predict.RouteSearch // how many routes between two hosts are listed
)

// ListedRoutes is the default number of different routes listed between two hosts.
const ListedRoutes = predict.ListedRoutes

// Formats in which Layout.Export writes a network. GraphML and edges can be read again as a
// topology of kind file.
const (
	ExportGraphML = predict.ExportGraphML
	ExportDOT     = predict.ExportDOT
	ExportEdges   = predict.ExportEdges
)
