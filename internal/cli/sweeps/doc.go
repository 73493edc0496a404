// Package sweeps has the subcommands that simulate an experiment at many points: sweep, study and
// saturate. Points run in this process, in processes of their own, or as tasks of an array job of Slurm.
package sweeps
