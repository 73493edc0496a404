// Package experiment holds what users write: the fields of experiments, in YAML or Go, their
// defaults, and the checks of all that can be checked without building the network.
//
// An Experiment is filled in by its user. Resolve makes a Resolved of a copy: every default is
// filled in and every check passed. A Resolved is not changed any more. The next station is package
// plan, which builds the network.
//
// A field goes through these functions: Decode reads the file, fillDefaults fills in what is not
// given, validate checks. All three remember where the field was written, for messages.
package experiment
