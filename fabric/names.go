package fabric

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// Parameters of a network (see package model).
type (
	Queues      = model.Queues
	Allocation  = model.Allocation
	Allocator   = model.Allocator
	Injection   = model.Injection
	Link        = model.Link
	Router      = model.Router
	Class       = model.Class
	Packet      = model.Packet
	IOBus       = model.IOBus
	Spec        = model.Spec
	FlowControl = model.FlowControl
	Entry       = model.Entry
	Arbiter     = model.Arbiter
	ArbiterKind = model.ArbiterKind
	GrantMemory = model.GrantMemory
	Rank        = model.Rank
	Request     = model.Request
)

const (
	MaxGap              = model.MaxGap
	GapUnit             = model.GapUnit
	MostClasses         = model.MostClasses
	InputQueues         = model.InputQueues
	VirtualOutputQueues = model.VirtualOutputQueues
	CombinedAllocation  = model.CombinedAllocation
	SeparateAllocation  = model.SeparateAllocation
	MaximalAllocator    = model.MaximalAllocator
	SeparableAllocator  = model.SeparableAllocator
	RoutedVC            = model.RoutedVC
	VCsInTurn           = model.VCsInTurn
	NoMemory            = model.NoMemory
	LastGrant           = model.LastGrant
	GrantTimes          = model.GrantTimes
	Age                 = model.Age
	Arrival             = model.Arrival
	FCFS                = model.FCFS
	Matrix              = model.Matrix
	Priority            = model.Priority
	RoundRobin          = model.RoundRobin
)

// VirtualCutThrough is the default flow control (see model.VirtualCutThrough).
var VirtualCutThrough = model.VirtualCutThrough

// Messages, and their endpoints and transports (see package model).
type (
	MsgID             = model.MsgID
	Message           = model.Message
	Extra             = model.Extra
	Endpoint          = model.Endpoint
	Prefetcher        = model.Prefetcher
	ProgressPublisher = model.ProgressPublisher
	Transport         = model.Transport
	Sequencer         = model.Sequencer
	Reader            = model.Reader
	VirtualTime       = model.VirtualTime
	Broken            = model.Broken
	LimitError        = model.LimitError
	StreamCounts      = model.StreamCounts
)

const (
	NoMsg        = model.NoMsg
	Forever      = model.Forever
	HasExtra     = model.HasExtra
	KeptBack     = model.KeptBack
	SourceQueued = model.SourceQueued
)

// Extensions of routers, links and NICs (see package model).
type (
	Doors      = model.Doors
	Hooks      = model.Hooks
	RouterView = model.RouterView
	Start      = model.Start
	Flow       = model.Flow
	Ejection   = model.Ejection
	Reply      = model.Reply
	Injector   = model.Injector
	Departure  = model.Departure
	Feedback   = model.Feedback
	Agent      = model.Agent
	Passing    = model.Passing
	Taken      = model.Taken
	Fate       = model.Fate
	Post       = model.Post
	EventKind  = model.EventKind
	Event      = model.Event
	Epoch      = model.Epoch
)

const (
	ByRoute       = model.ByRoute
	DownQueue     = model.DownQueue
	MostDoublings = model.MostDoublings
	MostRepeats   = model.MostRepeats
	AllPorts      = model.AllPorts
	Passed        = model.Passed
	Held          = model.Held
	Consumed      = model.Consumed
	Down          = model.Down
	Up            = model.Up
	SetRate       = model.SetRate
)

// Observations of a running network (see package model).
type (
	Observation = model.Observation
	Sink        = model.Sink
	Divided     = model.Divided
	Hop         = model.Hop
	Bin         = model.Bin
	LinkBin     = model.LinkBin
	BufferBin   = model.BufferBin
	Passage     = model.Passage
)

// CheckDoors returns an error if a door of the Spec is not supported by the model. The error names
// the door.
func CheckDoors(s Spec) error { return core.CheckDoors(s) }

// Arbiters returns the built-in arbiters, indexed by Arbiter.
func Arbiters() []*ArbiterKind { return model.Arbiters() }

// MessageNumber returns a number that identifies a message between two hosts across several tables.
func MessageNumber(source, destination, tag int32, size, sent int64) int64 {
	return model.MessageNumber(source, destination, tag, size, sent)
}

// Words returns the number of words of state that a value of type T takes. It panics if T contains
// pointers.
func Words[T any]() int { return model.Words[T]() }

// StateIn returns words of state as a value of type T. There must be as many words as Words
// returns.
func StateIn[T any](words []uint64) *T { return model.StateIn[T](words) }
