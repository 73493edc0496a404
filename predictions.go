package fabricast

import (
	"fabricast/internal/plan"
	"fabricast/internal/predict"
)

// PreviewSchema names the JSON layout of a Preview and its version.
const PreviewSchema = predict.PreviewSchema

// Preview holds what is known about an experiment before it runs: the numbers of hosts, routers and
// links, the latencies on an idle network, the memory needed, and the result of the deadlock check.
// FindPacing and FindCapacity add results that take longer to compute.
type Preview struct {
	predict.Preview

	// Experiment has every default filled in, including those derived from the network.
	Experiment *Experiment `json:"-"`
}

// Components of a Preview.
type (
	ZeroLoad      = predict.ZeroLoad  // latency of a message on an idle network
	RoundTrip     = predict.RoundTrip // data that fills a link for the round trip of a credit
	Forecast      = plan.Forecast     // estimated memory use of a run
	WorkForecast  = predict.Work      // estimated work and processor time of a run
	Shared        = predict.Shared    // memory when several processes share a run
	Division      = predict.Division  // quality of a partition of the network among processes
	Scaling       = predict.Scaling   // estimated speedup with more processes
	ScalingOfSize = predict.ScalingOfSize
	Capacity      = predict.Capacity     // load at which the busiest link would be full
	PacingResult  = predict.PacingResult // gaps of the steps of a collective
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

// Values of Division.Traffic, which says where the traffic comes from that a partition is rated by:
// the experiment's synthetic traffic, the packets of its program, or, if neither is known, packets
// between random nodes.
const (
	OfTraffic = predict.OfTraffic
	OfProgram = predict.OfProgram
	OfRandom  = predict.OfRandom
)

// SurveySchema names the JSON layout of a Survey and its version.
const SurveySchema = predict.SurveySchema

// The network of an experiment and its properties (Experiment.Layout, Layout.Survey).
// docs/formats/network.md describes the JSON keys.
type (
	Layout      = predict.Layout      // the network, which can be surveyed, drawn and exported
	Survey      = predict.Survey      // properties of the network
	LinkClass   = predict.LinkClass   // links of the same kind, bandwidth and latency
	Distance    = predict.Distance    // distances between hosts, in links between routers
	Bisection   = predict.Bisection   // minimum bandwidth between two halves of the hosts
	Route       = predict.Route       // a path that packets take
	Hop         = predict.Hop         // the output that packets take at a router
	RouteSearch = predict.RouteSearch // selects how many routes between two hosts to list
)

// ListedRoutes is the default limit on the number of routes listed between two hosts.
const ListedRoutes = predict.ListedRoutes

// Formats in which Layout.Export writes a network. A topology of kind file can read GraphML and
// edges.
const (
	ExportGraphML = predict.ExportGraphML
	ExportDOT     = predict.ExportDOT
	ExportEdges   = predict.ExportEdges
)
