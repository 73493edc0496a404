// Package sweeps has the subcommands that simulate an experiment at many points: sweep, study and
// saturate. Points run in this process, in separate processes, or as tasks of a Slurm array job.
package sweeps
