//go:build linux && (amd64 || arm64)

/* Loads a program so that each rank has a copy of its variables.
 *
 * Code finds variables by their distance, so a copy of the variables needs the code beside it. As
 * long as the kernel allows that many mappings, the code of all copies is the same memory; beyond, it is copied
 * too. What the program needs of shared libraries is loaded once and shared. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"
#include "machine.h"

#define PAGE 4096ul
static size_t page_floor(size_t n) { return n & ~(PAGE - 1); }
static size_t page_ceil(size_t n) { return page_floor(n + PAGE - 1); }

#define FAIL(job, ...) (snprintf((job)->error, sizeof (job)->error, __VA_ARGS__), 0)

/* The dynamic section, as places in the image. */
typedef struct {
  size_t strings, symbols, rela, rela_size, jump, jump_size, relr, relr_size;
} fc_dynamic;

static void add(fc_words *w, size_t place, uintptr_t value) {
  if (w->n == w->room) {
    w->room = w->room ? 2 * w->room : 256;
    w->list = realloc(w->list, w->room * sizeof *w->list);
  }
  w->list[w->n++] = (fc_word){place, value};
}

static int map_file(fc_job *j) {
  struct stat st;
  if ((j->fd = open(j->path, O_RDONLY | O_CLOEXEC)) < 0 || fstat(j->fd, &st)) return FAIL(j, "%s: %s", j->path, strerror(errno));
  j->file_size = st.st_size;
  j->file = mmap(0, j->file_size, PROT_READ, MAP_PRIVATE, j->fd, 0);
  const Elf64_Ehdr *h = (const void *)j->file;
  if (j->file == MAP_FAILED || j->file_size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
      h->e_machine != FC_MACHINE)
    return FAIL(j, "%s: found no program for " FC_MACHINE_NAME ", expected one built by the mpicc of 'fabricast mpi-wrappers'", j->path);
  if (h->e_type != ET_DYN)
    return FAIL(j, "%s: found a program with a fixed address, expected one built by the mpicc of 'fabricast mpi-wrappers'", j->path);
  return 1;
}

/* Reads the program headers. */
static int layout(fc_job *j, const Elf64_Dyn **dynamic) {
  const Elf64_Ehdr *h = (const void *)j->file;
  const Elf64_Phdr *p = (const void *)(j->file + h->e_phoff);
  for (int i = 0; i < h->e_phnum; i++, p++) {
    if (p->p_type == PT_LOAD) {
      if (j->nsegments == 16) return FAIL(j, "%s: more than 16 segments", j->path);
      j->segments[j->nsegments++] = (fc_segment){page_floor(p->p_vaddr), page_ceil(p->p_vaddr + p->p_memsz), p->p_offset,
                                                 p->p_filesz, p->p_vaddr, (p->p_flags & PF_W) != 0};
      if (page_ceil(p->p_vaddr + p->p_memsz) > j->span) j->span = page_ceil(p->p_vaddr + p->p_memsz);
    } else if (p->p_type == PT_DYNAMIC) {
      *dynamic = (const void *)(j->file + p->p_offset);
    } else if (p->p_type == PT_TLS) {
      j->tls = p->p_vaddr, j->tls_file = p->p_filesz, j->tls_size = p->p_memsz, j->tls_align = p->p_align;
    } else if (p->p_type == PT_GNU_EH_FRAME) {
      j->eh_frame = p->p_vaddr; /* of the index, for now */
    }
  }
  if (!*dynamic) return FAIL(j, "%s: found a static program, expected one built by the mpicc of 'fabricast mpi-wrappers'", j->path);
  return 1;
}

/* Lays out the pattern from which images are copied. */
static int make_pattern(fc_job *j) {
  j->pattern = mmap(0, j->span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (j->pattern == MAP_FAILED) return FAIL(j, "%s: %s", j->path, strerror(errno));
  for (int i = 0; i < j->nsegments; i++) memcpy(j->pattern + j->segments[i].offset, j->file + j->segments[i].file, j->segments[i].file_size);
  return 1;
}

static int read_dynamic(fc_job *j, const Elf64_Dyn *d, fc_dynamic *o) {
  for (const Elf64_Dyn *e = d; e->d_tag != DT_NULL; e++) switch (e->d_tag) {
      case DT_STRTAB: o->strings = e->d_un.d_ptr; break;
      case DT_SYMTAB: o->symbols = e->d_un.d_ptr; break;
      case DT_RELA: o->rela = e->d_un.d_ptr; break;
      case DT_RELASZ: o->rela_size = e->d_un.d_val; break;
      case DT_JMPREL: o->jump = e->d_un.d_ptr; break;
      case DT_PLTRELSZ: o->jump_size = e->d_un.d_val; break;
      case DT_INIT: j->init = e->d_un.d_ptr; break;
      case DT_FINI: j->fini = e->d_un.d_ptr; break;
      case DT_PREINIT_ARRAY: j->preinit_array = e->d_un.d_ptr; break;
      case DT_PREINIT_ARRAYSZ: j->preinit_count = e->d_un.d_val / 8; break;
      case DT_INIT_ARRAY: j->init_array = e->d_un.d_ptr; break;
      case DT_INIT_ARRAYSZ: j->init_count = e->d_un.d_val / 8; break;
      case DT_FINI_ARRAY: j->fini_array = e->d_un.d_ptr; break;
      case DT_FINI_ARRAYSZ: j->fini_count = e->d_un.d_val / 8; break;
      case DT_TEXTREL: return FAIL(j, "%s: parts were not compiled by mpicc (code with absolute addresses)", j->path);
    }
  return 1;
}

/* Makes a shared library call another function in the place of one that it takes from elsewhere. */
static void redirect(void *library, const char *name, void *to) {
  struct link_map *m;
  size_t rela[2] = {0}, size[2] = {0};
  const Elf64_Sym *symbols = 0;
  const char *strings = 0;
  if (!to || dlinfo(library, RTLD_DI_LINKMAP, &m)) return;
  for (const Elf64_Dyn *d = m->l_ld; d->d_tag != DT_NULL; d++) switch (d->d_tag) {
      case DT_STRTAB: strings = (const char *)d->d_un.d_ptr; break;
      case DT_SYMTAB: symbols = (const Elf64_Sym *)d->d_un.d_ptr; break;
      case DT_RELA: rela[0] = d->d_un.d_ptr; break;
      case DT_RELASZ: size[0] = d->d_un.d_val; break;
      case DT_JMPREL: rela[1] = d->d_un.d_ptr; break;
      case DT_PLTRELSZ: size[1] = d->d_un.d_val; break;
    }
  for (int i = 0; i < 2; i++)
    for (const Elf64_Rela *r = (const Elf64_Rela *)rela[i], *end = r + size[i] / sizeof *r; r < end; r++) {
      int type = ELF64_R_TYPE(r->r_info);
      if ((type != FC_R_JUMP_SLOT && type != FC_R_GLOB_DAT) || strcmp(strings + symbols[ELF64_R_SYM(r->r_info)].st_name, name)) continue;
      void **slot = (void **)(m->l_addr + r->r_offset);
      if (!mprotect((void *)page_floor((size_t)slot), PAGE, PROT_READ | PROT_WRITE)) *slot = to;
    }
}

/* Loads the shared libraries that the program names, but for the one that stands for this host. */
static int load_libraries(fc_job *j, const Elf64_Dyn *d, const char *strings) {
  for (; d->d_tag != DT_NULL; d++) {
    const char *name = strings + d->d_un.d_val;
    if (d->d_tag != DT_NEEDED || strstr(name, "libfabricast-mpi")) continue;
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!library) return FAIL(j, "%s: %s", j->path, dlerror());
    if (strncmp(name, "libgfortran", 11)) continue;
    redirect(library, "write", fc_symbol("write"));
    redirect(library, "exit", fc_symbol("exit"));
    j->flush = (void (*)(void *))dlsym(library, "_gfortran_flush_i4");
  }
  return 1;
}

/* The value of a symbol that the program takes from elsewhere. */
static int foreign(fc_job *j, const Elf64_Sym *s, const char *name, uintptr_t *value) {
  j->answers |= fc_needs_answers(name);
  *value = (uintptr_t)fc_symbol(name);
  if (!*value) *value = (uintptr_t)dlsym(RTLD_DEFAULT, name);
  if (*value || ELF64_ST_BIND(s->st_info) == STB_WEAK) return 1;
  const char *why = dlerror();
  return FAIL(j, "%s: %s", j->path, why ? why : name);
}

static int relocate(fc_job *j, const fc_dynamic *d, size_t table, size_t size) {
  const Elf64_Rela *r = (const void *)(j->pattern + table), *end = (const void *)((const char *)r + size);
  for (; r < end; r++) {
    const Elf64_Sym *s = (const Elf64_Sym *)(j->pattern + d->symbols) + ELF64_R_SYM(r->r_info);
    const char *name = j->pattern + d->strings + s->st_name;
    uintptr_t *word = (uintptr_t *)(j->pattern + r->r_offset), value;
    int type = ELF64_R_TYPE(r->r_info);
    size_t own = 0;
    switch (type) {
      case FC_R_NONE: break;
      case FC_R_RELATIVE: add(&j->relative, r->r_offset, r->r_addend); break;
      case FC_R_INDIRECT: add(&j->indirect, r->r_offset, r->r_addend); break;
      case FC_R_TLS_MODULE: *word = 1; break;
      case FC_R_TLS_OFFSET: *word = s->st_value + r->r_addend; break;
      case FC_R_ADDRESS:
      case FC_R_GLOB_DAT:
      case FC_R_JUMP_SLOT:
        value = type == FC_R_ADDRESS ? r->r_addend : 0;
        if (s->st_shndx != SHN_UNDEF) {
          if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
            add(&j->indirect, r->r_offset, s->st_value);
          else
            add(&j->relative, r->r_offset, s->st_value + value);
        } else if ((own = fc_own_variable(name))) {
          add(&j->own, r->r_offset, own - 1 + value);
        } else {
          uintptr_t found;
          if (!foreign(j, s, name, &found)) return 0;
          *word = found + value;
        }
        break;
      default:
        return FAIL(j, "%s: relocation of type %d (%s): parts were not compiled by mpicc", j->path, type, name);
    }
  }
  return 1;
}

/* Finds main, and what registers the frames of exceptions. */
static void find_entries(fc_job *j, const fc_dynamic *d) {
  const Elf64_Sym *s = (const void *)(j->pattern + d->symbols);
  size_t n = (d->strings - d->symbols) / sizeof *s; /* the linker puts strings behind symbols */
  for (size_t i = 0; i < n; i++, s++) {
    if (s->st_shndx == SHN_UNDEF) continue;
    const char *name = j->pattern + d->strings + s->st_name;
    if (!strcmp(name, "fabricast_main")) j->main = s->st_value;
    if (!strcmp(name, "fabricast_constants_")) j->constants = s->st_value;
    if (!strcmp(name, "fabricast_register_frames")) j->register_offset = s->st_value;
  }
  /* The index begins with version and encodings; the section's place follows, relative to itself. */
  if (j->eh_frame) {
    const unsigned char *index = (const unsigned char *)j->pattern + j->eh_frame;
    int32_t distance;
    memcpy(&distance, index + 4, 4);
    j->eh_frame = index[1] == 0x1b ? j->eh_frame + 4 + distance : 0;
  }
}

static int mappings_allowed(void) {
  int n = 65530;
  FILE *f = fopen("/proc/sys/vm/max_map_count", "r");
  if (f) {
    if (fscanf(f, "%d", &n) != 1) n = 65530;
    fclose(f);
  }
  return n - 2000;
}

/* Guard pages that cost no mapping; known since Linux 6.13. */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

/* Reserves the memory of all ranks, of which only what is touched is ever there. */
static int reserve(fc_job *j) {
  int mappings = 1;
  for (int i = 0; i < j->nsegments; i++) mappings += !j->segments[i].writable;
  j->copies = (long)mappings * j->ranks > mappings_allowed() / 2;
  j->stride = j->span;
  int protection = PROT_READ | PROT_WRITE | (j->copies ? PROT_EXEC : 0);
  j->images = mmap(0, j->stride * j->ranks, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  j->stacks = mmap(0, j->stack_size * j->ranks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (j->images == MAP_FAILED || j->stacks == MAP_FAILED) return FAIL(j, "memory for %d ranks: %s", j->ranks, strerror(errno));
  madvise(j->stacks, j->stack_size * j->ranks, MADV_NOHUGEPAGE);
  madvise(j->images, j->stride * j->ranks, MADV_NOHUGEPAGE);
  for (int i = 0; i < j->ranks; i++) {
    char *guard = j->stacks + i * j->stack_size;
    if (madvise(guard, PAGE, MADV_GUARD_INSTALL) && (2l * j->ranks > mappings_allowed() / 4 || mprotect(guard, PAGE, PROT_NONE))) break;
  }
  return 1;
}

/* fc_load reads a program; fc_job.error tells what is wrong with it. */
fc_job *fc_load(const char *path, int ranks, size_t stack_size, int argc, char **argv) {
  fc_job *j = calloc(1, sizeof *j);
  const Elf64_Dyn *dynamic = 0;
  fc_dynamic d = {0};
  j->path = strdup(path), j->ranks = ranks, j->argc = argc, j->argv = argv;
  j->stack_size = page_ceil(stack_size);
  if (!map_file(j) || !layout(j, &dynamic) || !make_pattern(j) || !read_dynamic(j, dynamic, &d)) return j;
  if (!load_libraries(j, dynamic, j->pattern + d.strings)) return j;
  if (!relocate(j, &d, d.rela, d.rela_size) || !relocate(j, &d, d.jump, d.jump_size)) return j;
  find_entries(j, &d);
  if (!j->main) {
    (void)FAIL(j, "%s: found nothing to begin with, expected a program built by the mpicc of 'fabricast mpi-wrappers'", path);
    return j;
  }
  fc_watch_signals();
  reserve(j);
  return j;
}

const char *fc_load_error(fc_job *j) { return j->error; }
int fc_job_answers(fc_job *j) { return j->answers; }
void fc_job_options(fc_job *j, int prefix, int omit, double speed, int sampled) {
  j->prefix = prefix, j->omit = omit, j->speed = speed, j->sampled = speed > 0 && sampled;
}

/* Makes a rank's copy of the program. */
static void instantiate(fc_job *j, fc_rank *r) {
  char *image = j->images + (size_t)r->id * j->stride;
  r->image = image;
  for (int i = 0; i < j->nsegments; i++) {
    fc_segment *s = &j->segments[i];
    if (s->writable || j->copies)
      memcpy(image + s->offset, j->pattern + s->offset, s->file_size);
    else
      mmap(image + s->start, s->end - s->start, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, j->fd, page_floor(s->file));
  }
  for (size_t i = 0; i < j->relative.n; i++) *(uintptr_t *)(image + j->relative.list[i].place) = (uintptr_t)image + j->relative.list[i].value;
  for (size_t i = 0; i < j->own.n; i++) *(uintptr_t *)(image + j->own.list[i].place) = (uintptr_t)fc_libc_of(r) + j->own.list[i].value;
  for (size_t i = 0; i < j->indirect.n; i++)
    *(uintptr_t *)(image + j->indirect.list[i].place) = ((uintptr_t(*)(void))(image + j->indirect.list[i].value))();
  if (j->copies) __builtin___clear_cache(image, image + j->span);
  r->tls = fc_new_variables(j);
}

/* fc_new_variables makes the thread-local variables of a rank, or of a thread that it starts. */
char *fc_new_variables(fc_job *j) {
  if (!j->tls_size) return 0;
  char *p = aligned_alloc(j->tls_align, (j->tls_size + j->tls_align - 1) / j->tls_align * j->tls_align);
  memset(p, 0, j->tls_size);
  return memcpy(p, j->pattern + j->tls, j->tls_file);
}

/* fc_rank_new makes a rank that begins when it is first resumed. */
fc_rank *fc_rank_new(fc_job *j, int id) {
  fc_rank *r = calloc(1, sizeof *r + sizeof(fc_libc));
  r->id = id, r->size = j->ranks, r->job = j, r->omit = j->omit, r->measured = j->speed > 0 && !j->sampled;
  r->stack = j->stacks + (size_t)id * j->stack_size;
  r->stack_size = j->stack_size;
  instantiate(j, r);
  fc_prepare(r, fc_start);
  return r;
}

fc_libc *fc_libc_of(fc_rank *r) { return (fc_libc *)(r + 1); }

static void call_all(fc_rank *r, size_t array, size_t n) {
  for (size_t i = 0; i < n; i++) {
    void (*f)(int, char **, char **) = ((void (**)(int, char **, char **))(r->image + array))[i];
    if (f && f != (void *)-1) f(r->job->argc, r->job->argv, environ);
  }
}

/* What only constructors need, such as the locales of C++, need not stay mapped for each rank. The file keeps it. */
static void unmap_constructors(fc_rank *r) {
  fc_job *j = r->job;
  if (j->copies) return;
  for (int i = 0; i < j->nsegments; i++) {
    fc_segment *s = &j->segments[i];
    if (!s->writable) madvise(r->image + s->start, s->end - s->start, MADV_DONTNEED);
  }
}

/* fc_start is where a rank begins, on its own stack. */
void fc_start(void) {
  fc_rank *r = fc_current();
  fc_job *j = r->job;
  fc_process_begin(r);
  if (r->measured) fc_begin_computing(r);
  if (j->eh_frame && j->register_offset)
    ((void (*)(void *))(r->image + j->register_offset))(r->image + j->eh_frame);
  call_all(r, j->preinit_array, j->preinit_count);
  if (j->init) ((void (*)(void))(r->image + j->init))();
  call_all(r, j->init_array, j->init_count);
  if (j->init_count > 1) unmap_constructors(r);
  char **argv = malloc((j->argc + 1) * sizeof *argv);
  for (int i = 0; i < j->argc; i++) argv[i] = strdup(j->argv[i]);
  argv[j->argc] = 0;
  fc_exit(((int (*)(int, char **, char **))(r->image + j->main))(j->argc, argv, environ));
}

/* What exit calls after what atexit has registered. */
void fc_call_fini(fc_rank *r) {
  fc_job *j = r->job;
  for (size_t i = j->fini_count; i-- > 0;) {
    void (*f)(void) = ((void (**)(void))(r->image + j->fini_array))[i];
    if (f && f != (void *)-1) f();
  }
  if (j->fini) ((void (*)(void))(r->image + j->fini))();
  if (j->flush) j->flush(0);
}
