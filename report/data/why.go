package data

import (
	"errors"
	"fmt"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/causes"
	"fabricast/internal/whatif"
	"fabricast/internal/why"
	"fabricast/record"
)

// Why explains the time of a run by its critical path. The segments are the table why_path, the parts of
// their time why_parts, who was ahead of their messages why_holders, and the ways of these why_ways.
type Why struct {
	// Missing says why there is no path; most fields are then empty. NotRecorded is true if it is because
	// the run has not recorded causes.
	Missing     string `json:"missing,omitempty"`
	NotRecorded bool   `json:"not_recorded,omitempty"`
	Record      string `json:"record,omitempty"` // what would record them, as a value of --record
	// Folder is the path of the run's folder, as given when the report was requested. Repeatable is true
	// if the experiment in it can be run again.
	Folder     string `json:"folder"`
	Repeatable bool   `json:"repeatable"`

	// Sentences are the answer in words. {link N} stands for the link in row N of the table of links.
	Sentences []string     `json:"sentences"`
	Predicted int64        `json:"predicted_ps"`
	Segments  int          `json:"segments"` // of the path; the table may have fewer
	Ties      int          `json:"ties"`
	Causes    []why.Share  `json:"causes"` // by descending time; they sum to Predicted
	Meanings  []WhyMeaning `json:"meanings"`

	Parts       []why.PartShare  `json:"parts"`
	Waits       *why.Waits       `json:"waits"`
	Derivatives []why.Derivative `json:"derivatives"`
	Unranged    string           `json:"unranged,omitempty"` // why no derivative has a range
	Helps       *why.Helps       `json:"helps,omitempty"`    // changes that were measured by runs
	Matrices    []BlameMatrix    `json:"matrices"`
	Notes       []string         `json:"notes,omitempty"`
}

// WhyMeaning says what a cause, a part or a kind of wait is.
type WhyMeaning struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// explain adds the critical path, or the reason why there is none.
func (b *builder) explain() {
	if b.result == nil {
		return
	}
	_, again := fabricast.Load(b.reader.Path(record.ExperimentFile))
	w := &Why{Folder: b.folder, Repeatable: again == nil}
	b.run.Why = w
	path, err := why.Find(b.reader)
	switch {
	case errors.Is(err, why.ErrNoCauses):
		w.NotRecorded, w.Record = true, "causes=full"
		w.Missing = "This run has not recorded what its ranks waited for. With that, the report shows " +
			"the critical path: what each picosecond of the predicted time was spent on."
	case errors.Is(err, why.ErrNoRanks):
		w.Missing = "Synthetic traffic has no ranks, so there is no critical path. That of a program leads " +
			"from the rank that ends last back to the beginning."
	case b.result.State != "":
		w.Missing = fmt.Sprintf("The run was %s, so its end is not that of the program: there is no critical path.",
			b.result.State)
	case err != nil:
		b.problem("the critical path cannot be found: %v", err)
		w.Missing = fmt.Sprintf("The critical path cannot be found: %v.", err)
	default:
		b.why(w, path)
	}
}

// why puts a path into the report.
func (b *builder) why(w *Why, path *why.Path) {
	w.Predicted, w.Segments, w.Ties = path.Predicted, len(path.Segments), path.Ties
	w.Causes, w.Parts, w.Waits, w.Meanings = path.Causes, path.Parts, path.Waits, meanings(path)
	w.Derivatives = []why.Derivative{}
	b.derive(w, path)
	segments := merged(path.Segments, mostSegments)
	b.put("why_path", pathTable(segments))
	b.put("why_parts", partsTable(segments))
	ahead := b.ahead(segments)
	b.put("why_ways", b.ways(segments))
	w.Matrices = b.blame()
	w.Sentences = sentences(path, ahead)
	var err error
	if w.Helps, err = why.ReadHelps(b.reader, path.Predicted); err != nil {
		b.problem("%v", err)
	}
}

// derive adds what the predicted time depends on, if the experiment is known.
func (b *builder) derive(w *Why, path *why.Path) {
	e, err := ExperimentOf(b.reader.Path(record.ExperimentFile))
	if err == nil {
		if b.plan, err = whatif.PlanOf(experiment.Experiment(*e)); err == nil {
			err = whatif.Derive(path, b.plan)
		}
	}
	if err == nil {
		err = whatif.Ranges(path, b.plan, (*experiment.Experiment)(e), b.reader)
	}
	if err != nil {
		w.Notes = append(w.Notes, fmt.Sprintf("What would help is not known, because the experiment cannot be used: %v.", err))
		return
	}
	w.Derivatives, w.Unranged = path.Derivatives, path.Unranged
}

// meaningOf says what causes, parts of them, and kinds of waits are.
var meaningOf = map[string]string{
	string(why.Compute):         "The rank computes.",
	string(why.SendSoftware):    "The communication library: sends and one-sided operations.",
	string(why.ReceiveSoftware): "The communication library: everything but sends.",
	string(why.Polling):         "Tests and probes that fail.",
	string(why.Network):         "A message, from its NIC, where it may wait for earlier ones, into memory.",
	string(why.Local):           "A message between ranks of one host.",
	string(why.Request):         "The request of a rendezvous on its way.",
	string(why.Data):            "A rendezvous, from the answer to the request to the arrival of the data.",
	string(why.NICRead):         "The rank's NIC reads a message of the rank, maybe after earlier ones.",
	string(why.NICTurn):         "The rank's NIC cannot take the next message yet.",
	string(why.Match):           "A synchronous send, from its call until it has met its receive.",
	string(why.OneSided):        "A one-sided operation, with its acknowledgement.",
	string(why.Noise):           "Other processes have the rank's processor.",
	string(why.Start):           "The rank has not started.",
	string(why.Traffic):         "All ranks have ended, but not yet the background traffic.",
	string(why.Unknown):         "The log does not say.",

	string(why.LateSender):    "The send has not been called yet.",
	string(why.LateReceiver):  "The receive has not been posted yet (rendezvous, synchronous sends).",
	string(why.WaitAtBarrier): "For a rank that is late at a barrier.",
	string(why.WaitAtNxN):     "For a late rank, in a collective in which every rank needs data of every other.",
	string(why.EarlyReduce):   "For a late rank, in a collective in which data flows towards one rank.",
	string(why.LateBroadcast): "For a late rank, in a collective in which data flows from one rank.",
	string(why.Transfer):      "A message is on its way.",
	string(why.OwnNIC):        "The rank's own NIC reads a message, or cannot take one yet.",
	string(why.RMA):           "One-sided operations, with the locks that they wait for.",
	string(why.WorkApart):     "A computation that runs beside the rank's program.",
	string(why.OtherWait):     "Other waits.",

	causes.Handshake.String():       "A rendezvous or an operation waits for its answer.",
	causes.SourceQueue.String():     "Waiting in the sender's node behind earlier messages.",
	causes.NICQueue.String():        "Waiting for the NIC or its bus, which handle other messages.",
	causes.SendDMA.String():         "Reading from memory, as far as it is not hidden behind the injection.",
	causes.Serialization.String():   "What all packets of the message take on a link.",
	causes.Pacing.String():          "Pauses of the NIC between packets.",
	causes.InjectionCredit.String(): "Waiting for space in the first router's buffer.",
	causes.Wire.String():            "Latency of cables.",
	causes.Pipeline.String():        "Fixed delays of routers.",
	causes.Order.String():           "Waiting behind others in a queue.",
	causes.Output.String():          "Waiting for an output that carries other packets.",
	causes.Crossbar.String():        "Waiting for an input of the crossbar that another packet uses.",
	causes.Credit.String():          "Waiting for space in the next router's buffer.",
	causes.Ejection.String():        "Waiting for the link to the destination's NIC, and for space there.",
	causes.ReceiveNIC.String():      "Waiting for the receiving NIC or its bus.",
	causes.ReceiveDMA.String():      "Writing to memory.",
	causes.Overtaken.String():       "Waiting for earlier packets of the message, which took other ways.",
	causes.Window.String():          "Waiting for the window of the transport, or for credit of the receiver.",
	causes.Pause.String():           "Waiting for the end of a pause.",
	causes.Repetition.String():      "From the loss of a packet until its sender knows that it must be sent again.",
	causes.ReceiveWait.String():     "Waiting until the receiving rank handles the message.",
}

// meanings lists what the words mean that a path has.
func meanings(path *why.Path) []WhyMeaning {
	list := []WhyMeaning{}
	add := func(name string) {
		if text := meaningOf[name]; text != "" {
			list = append(list, WhyMeaning{name, text})
		}
	}
	for _, c := range path.Causes {
		add(string(c.Cause))
	}
	for _, p := range path.Parts {
		add(p.Part)
	}
	for _, s := range path.Waits.States {
		if s.State != why.NoiseWait {
			add(string(s.State))
		}
	}
	return list
}
