// Package experiment defines what users write: the fields of experiments, in YAML or Go, their
// defaults, and all checks that do not need the network to be built.
//
// A user fills in an Experiment. Resolve copies it into a Resolved, in which every default is
// filled in and every check has passed. A Resolved is immutable. Package plan then builds the
// network from it.
//
// Three functions process each field: Decode reads it from the file, fillDefaults fills in a
// missing value, and validate checks it. All three record where the field was written, for error
// messages.
package experiment
