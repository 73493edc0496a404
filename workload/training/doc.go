// Package training is the program of a training step of a transformer: ranks compute for as long
// as the operations of their layers take on a GPU, and communicate as Megatron-LM does.
//
// A step is a list of passes of each pipeline stage: forward and backward passes of microbatches
// through chunks of layers. A pass is a list of computations and of collectives among the ranks of
// tensor, context, expert and data groups. Beside them, a second stream reduces gradients and
// gathers parameters. docs/training.md describes the model.
package training
