//go:build linux && (amd64 || arm64)

/* Loads a program and its own shared libraries so that each rank has a copy of their variables.
 *
 * Code finds variables by their distance, so a copy of the variables needs the code beside it. The
 * code of all copies is the same memory. As long as the kernel allows that many mappings it is that of the files;
 * beyond, that of a file in memory which holds several images in a row. Program and libraries lie one behind the other in the image. What they need of the system's libraries is loaded once and shared. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static void add(fc_words *w, size_t place, uintptr_t value) {
  if (w->n == w->room) {
    w->room = w->room ? 2 * w->room : 256;
    w->list = realloc(w->list, w->room * sizeof *w->list);
  }
  w->list[w->n++] = (fc_word){place, value};
}

static int map_file(fc_job *j, fc_module *m) {
  struct stat st;
  if ((m->fd = open(m->path, O_RDONLY | O_CLOEXEC)) < 0 || fstat(m->fd, &st)) return FAIL(j, "%s: %s", m->path, strerror(errno));
  m->file_size = st.st_size;
  m->file = mmap(0, m->file_size, PROT_READ, MAP_PRIVATE, m->fd, 0);
  const Elf64_Ehdr *h = (const void *)m->file;
  if (m->file == MAP_FAILED || m->file_size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
      h->e_machine != FC_MACHINE)
    return FAIL(j, "%s: found no program for " FC_MACHINE_NAME ", expected one built by the mpicc of 'fabricast mpi-wrappers'", m->path);
  if (h->e_type != ET_DYN)
    return FAIL(j, "%s: found a program with a fixed address, expected one built by the mpicc of 'fabricast mpi-wrappers'", m->path);
  return 1;
}

static void add_segment(fc_job *j, fc_module *m, const Elf64_Phdr *p) {
  j->segments = realloc(j->segments, (j->nsegments + 1) * sizeof *j->segments);
  size_t place = m->base + p->p_vaddr, end = page_ceil(place + p->p_memsz);
  j->segments[j->nsegments++] = (fc_segment){page_floor(place), end, p->p_offset, p->p_filesz, place, (p->p_flags & PF_W) != 0, m->fd};
  if (end > j->span) j->span = end;
  memcpy(j->pattern + place, m->file + p->p_offset, p->p_filesz);
}

/* Thread-local variables of all modules lie one behind the other, too. */
static void add_thread_variables(fc_job *j, fc_module *m, const Elf64_Phdr *p) {
  size_t align = p->p_align ? p->p_align : 1;
  if (align > j->tls_align) j->tls_align = align;
  m->tls = m->base + p->p_vaddr, m->tls_file = p->p_filesz;
  m->tls_place = (j->tls_size + align - 1) / align * align;
  j->tls_size = m->tls_place + p->p_memsz;
}

/* Lays out a module behind those before, in the pattern from which images are copied. */
static int layout(fc_job *j, fc_module *m) {
  const Elf64_Ehdr *h = (const void *)m->file;
  const Elf64_Phdr *first = (const void *)(m->file + h->e_phoff), *end = first + h->e_phnum;
  size_t span = 0;
  m->base = j->span;
  for (const Elf64_Phdr *p = first; p < end; p++)
    if (p->p_type == PT_LOAD && page_ceil(p->p_vaddr + p->p_memsz) > span) span = page_ceil(p->p_vaddr + p->p_memsz);
  if (j->span + span > j->pattern_size) return FAIL(j, "%s: no room for its variables", m->path);
  for (const Elf64_Phdr *p = first; p < end; p++) switch (p->p_type) {
      case PT_LOAD: add_segment(j, m, p); break;
      case PT_DYNAMIC: m->dynamic = (const void *)(m->file + p->p_offset); break;
      case PT_TLS: add_thread_variables(j, m, p); break;
      case PT_GNU_EH_FRAME: m->eh_frame = m->base + p->p_vaddr; break; /* of the index, for now */
    }
  if (!m->dynamic) return FAIL(j, "%s: found a static program, expected one built by the mpicc of 'fabricast mpi-wrappers'", m->path);
  return 1;
}

static int read_dynamic(fc_job *j, fc_module *m) {
  size_t base = m->base;
  for (const Elf64_Dyn *e = m->dynamic; e->d_tag != DT_NULL; e++) switch (e->d_tag) {
      case DT_STRTAB: m->strings = base + e->d_un.d_ptr; break;
      case DT_SYMTAB: m->symbols = base + e->d_un.d_ptr; break;
      case DT_VERSYM: m->versions = base + e->d_un.d_ptr; break;
      case DT_GNU_HASH: m->gnu_hash = base + e->d_un.d_ptr; break;
      case DT_HASH: m->hash = base + e->d_un.d_ptr; break;
      case DT_RELA: m->rela = base + e->d_un.d_ptr; break;
      case DT_RELASZ: m->rela_size = e->d_un.d_val; break;
      case DT_JMPREL: m->jump = base + e->d_un.d_ptr; break;
      case DT_PLTRELSZ: m->jump_size = e->d_un.d_val; break;
      case FC_DT_RELR: m->relr = base + e->d_un.d_ptr; break;
      case FC_DT_RELRSZ: m->relr_size = e->d_un.d_val; break;
      case DT_INIT: m->init = base + e->d_un.d_ptr; break;
      case DT_FINI: m->fini = base + e->d_un.d_ptr; break;
      case DT_PREINIT_ARRAY: m->preinit_array = base + e->d_un.d_ptr; break;
      case DT_PREINIT_ARRAYSZ: m->preinit_count = e->d_un.d_val / 8; break;
      case DT_INIT_ARRAY: m->init_array = base + e->d_un.d_ptr; break;
      case DT_INIT_ARRAYSZ: m->init_count = e->d_un.d_val / 8; break;
      case DT_FINI_ARRAY: m->fini_array = base + e->d_un.d_ptr; break;
      case DT_FINI_ARRAYSZ: m->fini_count = e->d_un.d_val / 8; break;
      case DT_TEXTREL: return FAIL(j, "%s: parts were not compiled by mpicc (code with absolute addresses)", m->path);
    }
  /* The index begins with version and encodings; the section's place follows, relative to itself. */
  if (m->eh_frame) {
    const unsigned char *index = (const unsigned char *)j->pattern + m->eh_frame;
    int32_t distance;
    memcpy(&distance, index + 4, 4);
    m->eh_frame = index[1] == 0x1b ? m->eh_frame + 4 + distance : 0;
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

/* --- Libraries --- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Libraries that come with the compiler and the system are shared by all ranks, wherever they lie. */
static int is_system(const char *path) {
  static const char *const names[] = {"libc.", "libm.", "libdl.", "libpthread.", "librt.", "ld-linux", "libgcc_s.", "libgfortran.", "libquadmath.", "libgomp.", "libmvec."};
  static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(base_name(path), names[i], strlen(names[i]))) return 1;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (!strncmp(path, folders[i], strlen(folders[i]))) return 1;
  return 0;
}

/* Finds a library in one folder of a list; $ORIGIN is that of the module. */
static char *in_folder(const fc_module *m, const char *folder, size_t n, const char *name) {
  static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
  char *path = 0, real[PATH_MAX];
  int done = -1;
  for (int i = 0; i < 2 && done < 0; i++) {
    size_t k = strlen(origins[i]);
    if (n < k || strncmp(folder, origins[i], k)) continue;
    if (!realpath(m->path, real)) return 0;
    done = asprintf(&path, "%.*s/%.*s/%s", (int)(base_name(real) - real), real, (int)(n - k), folder + k, name);
  }
  if (done < 0) done = asprintf(&path, "%.*s/%s", (int)n, folder, name);
  if (done >= 0 && !access(path, R_OK)) return path;
  if (done >= 0) free(path);
  return 0;
}

static char *in_folders(const fc_module *m, const char *list, const char *name) {
  for (; list && *list; list += strcspn(list, ":"), list += *list == ':') {
    size_t n = strcspn(list, ":");
    char *path = n ? in_folder(m, list, n, name) : 0;
    if (path) return path;
  }
  return 0;
}

/* Where a module says that its libraries lie. */
static const char *folders_of(fc_job *j, const fc_module *m) {
  for (const Elf64_Dyn *d = m->dynamic; d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_RUNPATH || d->d_tag == DT_RPATH) return j->pattern + m->strings + d->d_un.d_val;
  return 0;
}

/* The path of a library that belongs to the program; null if it is the system's. */
static char *find_own(fc_job *j, const fc_module *m, const char *name) {
  char *path = 0;
  if (strchr(name, '/'))
    path = strdup(name);
  else if (!(path = in_folders(m, folders_of(j, m), name)) && !(path = in_folders(j->modules[0], folders_of(j, j->modules[0]), name)))
    path = in_folders(m, getenv("LD_LIBRARY_PATH"), name);
  char real[PATH_MAX];
  if (path && realpath(path, real) && !is_system(real)) return path;
  free(path);
  return 0;
}

/* Loads a library of the system. That of C++ keeps state of the program, such as what was not yet printed: its path is returned. */
static int load_shared(fc_job *j, const char *name, const char **own) {
  struct link_map *map;
  /* Fortran's units are there once: in a buffer the lines of all ranks would mix. It is read as the library is loaded. */
  static const char unbuffered[] = "GFORTRAN_UNBUFFERED_PRECONNECTED";
  int chosen = getenv(unbuffered) != 0;
  if (!chosen) setenv(unbuffered, "y", 1);
  void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!chosen) unsetenv(unbuffered);
  if (!library) return FAIL(j, "%s: %s", j->path, dlerror());
  if (!strncmp(base_name(name), "libstdc++.", 10) && !dlinfo(library, RTLD_DI_LINKMAP, &map)) *own = map->l_name;
  if (strncmp(base_name(name), "libgfortran", 11)) return 1;
  redirect(library, "write", fc_symbol("write"));
  redirect(library, "exit", fc_symbol("exit"));
  redirect(library, "signal", fc_symbol("signal")); /* it would take over signals of mistakes, without a stack for them */
  redirect(library, "sigaction", fc_symbol("sigaction"));
  j->flush = (void (*)(void *))dlsym(library, "_gfortran_flush_i4");
  return 1;
}

static fc_module *new_module(fc_job *j, const char *path) {
  fc_module *m = calloc(1, sizeof *m);
  m->path = strdup(path);
  j->modules = realloc(j->modules, (j->nmodules + 1) * sizeof *j->modules);
  j->modules[j->nmodules++] = m;
  return map_file(j, m) && layout(j, m) && read_dynamic(j, m) ? m : 0;
}

static int load_libraries(fc_job *j, fc_module *m);

/* Loads a library that a module names. */
static int load_library(fc_job *j, fc_module *m, const char *name) {
  for (int i = 1; i < j->nmodules; i++)
    if (!strcmp(base_name(j->modules[i]->path), base_name(name))) return 1;
  char *found = find_own(j, m, name);
  const char *path = found;
  if (!path && !load_shared(j, name, &path)) return 0;
  fc_module *library = path ? new_module(j, path) : 0;
  free(found);
  return library ? load_libraries(j, library) : !path;
}

/* Loads what a module needs, but for what stands for this host. Modules are set down in the order in which they are initialized. */
static int load_libraries(fc_job *j, fc_module *m) {
  for (const Elf64_Dyn *d = m->dynamic; d->d_tag != DT_NULL; d++) {
    const char *name = j->pattern + m->strings + d->d_un.d_val;
    if (d->d_tag == DT_NEEDED && !strstr(name, "libfabricast-mpi") && !load_library(j, m, name)) return 0;
  }
  j->order = realloc(j->order, (j->ordered + 1) * sizeof *j->order);
  j->order[j->ordered++] = m;
  return 1;
}

/* --- Symbols --- */

/* How many symbols a module's table has. */
static size_t count_symbols(fc_job *j, const fc_module *m) {
  if (m->hash) return ((const uint32_t *)(j->pattern + m->hash))[1];
  if (!m->gnu_hash) return 0;
  const uint32_t *h = (const uint32_t *)(j->pattern + m->gnu_hash), *buckets = h + 4 + 2 * h[2], *chains = buckets + h[0];
  uint32_t last = 0;
  for (uint32_t i = 0; i < h[0]; i++)
    if (buckets[i] > last) last = buckets[i];
  if (!last) return h[1];
  while (!(chains[last - h[1]] & 1)) last++;
  return last + 1;
}

static size_t hash_of(const char *name) {
  size_t h = 5381;
  for (; *name; name++) h = h * 33 + (unsigned char)*name;
  return h;
}

/* A place in the table of names: where the name is, or where it would be. */
static fc_name *place_of(fc_job *j, const char *name) {
  size_t i = hash_of(name) % j->nnames;
  while (j->names[i].name && strcmp(j->names[i].name, name)) i = (i + 1) % j->nnames;
  return &j->names[i];
}

/* Lists what the modules define; the first that defines a name counts. */
static void list_names(fc_job *j) {
  j->nnames = 1;
  for (int i = 0; i < j->nmodules; i++) j->nnames += 2 * count_symbols(j, j->modules[i]);
  j->names = calloc(j->nnames, sizeof *j->names);
  for (int i = 0; i < j->nmodules; i++) {
    fc_module *m = j->modules[i];
    const Elf64_Sym *s = (const void *)(j->pattern + m->symbols);
    const uint16_t *versions = m->versions ? (const void *)(j->pattern + m->versions) : 0;
    for (size_t k = 0, n = count_symbols(j, m); k < n; k++, s++) {
      if (s->st_shndx == SHN_UNDEF || ELF64_ST_BIND(s->st_info) == STB_LOCAL || (versions && versions[k] & 0x8000)) continue;
      fc_name *place = place_of(j, j->pattern + m->strings + s->st_name);
      if (!place->name) *place = (fc_name){j->pattern + m->strings + s->st_name, m, s};
    }
  }
}

/* The place in the image of what a module defines under a name; 0: none does. */
static size_t defined(fc_job *j, const char *name) {
  fc_name *n = place_of(j, name);
  return n->name ? n->module->base + n->symbol->st_value : 0;
}

/* The value of a symbol that the program takes from elsewhere. */
static int foreign(fc_job *j, const fc_module *m, const Elf64_Sym *s, const char *name, uintptr_t *value) {
  j->answers |= fc_needs_answers(name);
  j->cancels |= fc_may_cancel(name);
  *value = (uintptr_t)fc_symbol(name);
  if (!*value) *value = (uintptr_t)dlsym(RTLD_DEFAULT, name);
  if (*value || ELF64_ST_BIND(s->st_info) == STB_WEAK) return 1;
  const char *why = dlerror();
  return FAIL(j, "%s: %s", m->path, why ? why : name);
}

/* --- Relocations --- */

/* An address in a word of the image. */
static int point_to(fc_job *j, const fc_module *m, const Elf64_Sym *s, size_t place, uintptr_t addend) {
  const char *name = j->pattern + m->strings + s->st_name;
  fc_name *n = place_of(j, name);
  size_t own;
  if (n->name && ELF64_ST_VISIBILITY(s->st_other) == STV_DEFAULT && ELF64_ST_BIND(s->st_info) != STB_LOCAL) s = n->symbol, m = n->module;
  if (s->st_shndx != SHN_UNDEF) {
    if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
      add(&j->indirect, place, m->base + s->st_value);
    else
      add(&j->relative, place, m->base + s->st_value + addend);
  } else if ((own = fc_own_variable(name))) {
    add(&j->own, place, own - 1 + addend);
  } else {
    uintptr_t found;
    if (!foreign(j, m, s, name, &found)) return 0;
    *(uintptr_t *)(j->pattern + place) = found + addend;
  }
  return 1;
}

/* Where a thread-local variable lies: in the part of its module, and there. Symbol 0 is the module itself. */
static fc_name thread_variable(fc_job *j, fc_module *m, const Elf64_Sym *s) {
  const char *name = j->pattern + m->strings + s->st_name;
  fc_name *n = place_of(j, name);
  return *name && n->name && ELF64_ST_BIND(s->st_info) != STB_LOCAL ? *n : (fc_name){name, m, s};
}

static int relocate_word(fc_job *j, fc_module *m, const Elf64_Rela *r) {
  const Elf64_Sym *s = (const Elf64_Sym *)(j->pattern + m->symbols) + ELF64_R_SYM(r->r_info);
  size_t place = m->base + r->r_offset;
  uintptr_t *word = (uintptr_t *)(j->pattern + place);
  int type = ELF64_R_TYPE(r->r_info);
  switch (type) {
    case FC_R_NONE: return 1;
    case FC_R_RELATIVE: add(&j->relative, place, m->base + r->r_addend); return 1;
    case FC_R_INDIRECT: add(&j->indirect, place, m->base + r->r_addend); return 1;
    case FC_R_TLS_MODULE: *word = thread_variable(j, m, s).module->tls_place; return 1;
    case FC_R_TLS_OFFSET: *word = thread_variable(j, m, s).symbol->st_value + r->r_addend; return 1;
#ifdef FC_R_TLS_DESCRIPTOR
    case FC_R_TLS_DESCRIPTOR: {
      fc_name v = thread_variable(j, m, s);
      word[0] = (uintptr_t)fc_tls_descriptor, word[1] = v.module->tls_place + v.symbol->st_value + r->r_addend;
      return 1;
    }
#endif
    case FC_R_ADDRESS: return point_to(j, m, s, place, r->r_addend);
    case FC_R_GLOB_DAT:
    case FC_R_JUMP_SLOT: return point_to(j, m, s, place, 0);
  }
  return FAIL(j, "%s: relocation of type %d (%s): parts were not compiled by mpicc", m->path, type, j->pattern + m->strings + s->st_name);
}

/* Words that count from the image's place, in the compressed form: addresses, and bits for the 63 words that follow. */
static void relocate_packed(fc_job *j, fc_module *m) {
  const uint64_t *e = (const uint64_t *)(j->pattern + m->relr), *end = e + m->relr_size / 8;
  for (size_t place = 0; e < end; e++) {
    if (!(*e & 1)) {
      place = m->base + *e;
      add(&j->relative, place, m->base + *(uintptr_t *)(j->pattern + place));
      place += 8;
      continue;
    }
    for (int bit = 1; bit < 64; bit++)
      if (*e >> bit & 1) add(&j->relative, place + 8 * (bit - 1), m->base + *(uintptr_t *)(j->pattern + place + 8 * (bit - 1)));
    place += 8 * 63;
  }
}

static int relocate(fc_job *j, fc_module *m) {
  relocate_packed(j, m);
  size_t tables[] = {m->rela, m->jump}, sizes[] = {m->rela_size, m->jump_size};
  for (int i = 0; i < 2; i++)
    for (const Elf64_Rela *r = (const void *)(j->pattern + tables[i]), *end = r + sizes[i] / sizeof *r; r < end; r++)
      if (!relocate_word(j, m, r)) return 0;
  return 1;
}

/* --- Copies --- */

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

/* Below each stack. Code that the wrappers compile touches each page of its frames (-fstack-clash-protection), on arm64 each 16th; the guard
 * is larger for code that does not. With many ranks their page tables would count. */
enum { GUARD = 1 << 20, SMALL_GUARD = 64 << 10, MANY = 16384 };

/* How many images a mapping holds at the least, if a mapping for each segment of each rank would be too many. The code is in memory as
 * often, and there are as many times fewer mappings. */
enum { BUNDLE = 16 };

/* Writes a file in memory with images in a row, as they are before their words are set. It returns its descriptor, or -1. */
static int write_bundle(fc_job *j) {
  int fd = memfd_create("fabricast-images", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, j->bundle * j->span)) return -1;
  for (int k = 0; k < j->bundle; k++)
    for (fc_segment *s = j->segments; s < j->segments + j->nsegments; s++)
      for (size_t at = 0; at < s->file_size;) {
        ssize_t n = pwrite(fd, j->pattern + s->offset + at, s->file_size - at, k * j->span + s->offset + at);
        if (n <= 0) return -1;
        at += n;
      }
  return fd;
}

/* Maps the images of all ranks, several at once. A page is a rank's own from when it is written to. */
static int map_bundles(fc_job *j, int ranks) {
  int fd = write_bundle(j);
  for (int first = 0; fd >= 0 && first < ranks; first += j->bundle) {
    void *p = mmap(
      j->images + first * j->span, j->bundle * j->span, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0);
    if (p == MAP_FAILED) return 0;
  }
  return fd >= 0 && !close(fd);
}

/* Reserves memory for the images of all ranks. */
static int reserve_images(fc_job *j) {
  long mappings = 1, ranks = j->ranks, allowed = mappings_allowed() / 2;
  for (int i = 0; i < j->nsegments; i++) mappings += !j->segments[i].writable;
  if (mappings * ranks > allowed) {
    j->bundle = BUNDLE;
    while (ranks / j->bundle >= allowed) j->bundle *= 2;
    ranks = (ranks + j->bundle - 1) / j->bundle * j->bundle;
  }
  j->images = mmap(0, j->span * ranks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (j->images == MAP_FAILED || (j->bundle && !map_bundles(j, ranks))) return 0;
  return !madvise(j->images, j->span * ranks, MADV_NOHUGEPAGE) || errno == EINVAL;
}

/* Reserves the memory of all ranks, of which only what is touched is ever there. */
static int reserve(fc_job *j) {
  if (!reserve_images(j)) return FAIL(j, "memory for %d ranks: %s", j->ranks, strerror(errno));
  j->guard_size = j->ranks > MANY ? SMALL_GUARD : GUARD;
  size_t each = j->guard_size + j->stack_size;
  j->stacks = mmap(0, each * j->ranks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (j->stacks == MAP_FAILED) return FAIL(j, "memory for %d ranks: %s", j->ranks, strerror(errno));
  madvise(j->stacks, each * j->ranks, MADV_NOHUGEPAGE);
  for (int i = 0; i < j->ranks; i++) {
    char *guard = j->stacks + i * each;
    if (madvise(guard, j->guard_size, MADV_GUARD_INSTALL) && (2l * j->ranks > mappings_allowed() / 4 || mprotect(guard, j->guard_size, PROT_NONE))) break;
  }
  return 1;
}

/* Reserves addresses for the pattern; its memory is taken as it is filled. */
static int make_pattern(fc_job *j) {
  for (j->pattern_size = 1ul << 40; j->pattern_size >= 1ul << 28; j->pattern_size /= 2) {
    j->pattern = mmap(0, j->pattern_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (j->pattern != MAP_FAILED) return 1;
  }
  return FAIL(j, "%s: %s", j->path, strerror(errno));
}

/* Loads program and libraries, and says how their words are to be set. */
static int read_modules(fc_job *j) {
  if (!make_pattern(j) || !new_module(j, j->path) || !load_libraries(j, j->modules[0])) return 0;
  munmap(j->pattern + j->span, j->pattern_size - j->span);
  list_names(j);
  if (!(j->main = defined(j, "fabricast_main")))
    return FAIL(j, "%s: it was not built by the wrappers, expected a program built by the mpicc of 'fabricast mpi-wrappers' "
                "(CMake and configure scripts must be given the wrappers as compilers, in a new build folder: cmake -DCMAKE_C_COMPILER=.../mpicc, CC=.../mpicc ./configure)", j->path);
  for (int i = 0; i < j->nmodules; i++)
    if (!relocate(j, j->modules[i])) return 0;
  j->constants = defined(j, "fabricast_constants_");
  j->register_offset = defined(j, "fabricast_register_frames");
  j->register_shared = j->nmodules > 1 ? (void (*)(void *))dlsym(RTLD_DEFAULT, "__register_frame") : 0;
  return 1;
}

/* fc_load reads a program; fc_job.error tells what is wrong with it. */
fc_job *fc_load(const char *path, int ranks, size_t stack_size, int argc, char **argv) {
  fc_job *j = calloc(1, sizeof *j);
  j->path = strdup(path), j->ranks = ranks, j->argc = argc, j->argv = argv;
  j->stack_size = page_ceil(stack_size);
  if (!read_modules(j)) {
    j->unfit = 1;
    return j;
  }
  fc_watch_signals();
  fc_begin_folders();
  reserve(j);
  return j;
}

const char *fc_load_error(fc_job *j) { return j->error; }
int fc_load_unfit(fc_job *j) { return j->unfit; }
int fc_job_teams(fc_job *j) { return __atomic_load_n(&j->teams, __ATOMIC_RELAXED); }
int fc_job_answers(fc_job *j) { return j->answers; }
void fc_job_check_types(fc_job *j, int what) { j->types = what; }

void fc_job_options(fc_job *j, int prefix, int omit, double speed, int sampled) {
  j->prefix = prefix, j->omit = omit, j->speed = speed, j->sampled = speed > 0 && sampled;
}

void fc_job_apart(fc_job *j) { j->apart = 1; }

void fc_job_saved(fc_job *j, int saved) { j->saved = saved; }

/* Fills a rank's image with segments of its own; where images come in bundles they are there. */
static void map_segments(fc_job *j, char *image) {
  for (int i = 0; i < j->nsegments; i++) {
    fc_segment *s = &j->segments[i];
    if (s->writable)
      memcpy(image + s->offset, j->pattern + s->offset, s->file_size);
    else
      mmap(image + s->start, s->end - s->start, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, s->fd, page_floor(s->file));
  }
}

/* Makes a rank's copy of the program. */
static void instantiate(fc_job *j, fc_rank *r) {
  char *image = j->images + (size_t)r->id * j->span;
  r->image = image;
  if (!j->bundle) map_segments(j, image);
  for (size_t i = 0; i < j->relative.n; i++) *(uintptr_t *)(image + j->relative.list[i].place) = (uintptr_t)image + j->relative.list[i].value;
  for (size_t i = 0; i < j->own.n; i++) *(uintptr_t *)(image + j->own.list[i].place) = (uintptr_t)fc_libc_of(r) + j->own.list[i].value;
  for (size_t i = 0; i < j->indirect.n; i++)
    *(uintptr_t *)(image + j->indirect.list[i].place) = ((uintptr_t(*)(void))(image + j->indirect.list[i].value))();
  r->tls = fc_new_variables(j);
}

/* fc_new_variables makes the thread-local variables of a rank, or of a thread that it starts. */
char *fc_new_variables(fc_job *j) {
  if (!j->tls_size) return 0;
  char *p = aligned_alloc(j->tls_align, (j->tls_size + j->tls_align - 1) / j->tls_align * j->tls_align);
  memset(p, 0, j->tls_size);
  for (int i = 0; i < j->nmodules; i++) memcpy(p + j->modules[i]->tls_place, j->pattern + j->modules[i]->tls, j->modules[i]->tls_file);
  return p;
}

/* fc_rank_new makes a rank that begins when it is first resumed. */
fc_rank *fc_rank_new(fc_job *j, int id) {
  fc_rank *r = calloc(1, sizeof *r + sizeof(fc_libc));
  r->id = id, r->size = j->ranks, r->job = j, r->omit = j->omit, r->measured = j->speed > 0 && !j->sampled;
  r->stack = j->stacks + (size_t)id * (j->guard_size + j->stack_size) + j->guard_size;
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
  for (int i = 0; i < j->nsegments; i++) {
    fc_segment *s = &j->segments[i];
    if (!s->writable) madvise(r->image + s->start, s->end - s->start, MADV_DONTNEED);
  }
}

/* Tells the unwinders of exceptions, the program's own and that of shared libraries, where a module's tables are. */
static void register_frames(fc_rank *r, const fc_module *m) {
  fc_job *j = r->job;
  if (!m->eh_frame) return;
  if (j->register_offset) ((void (*)(void *))(r->image + j->register_offset))(r->image + m->eh_frame);
  if (j->register_shared) j->register_shared(r->image + m->eh_frame);
}

/* fc_start is where a rank begins, on its own stack. */
void fc_start(void) {
  fc_rank *r = fc_current();
  fc_job *j = r->job;
  fc_process_begin(r);
  if (r->measured) fc_begin_computing(r);
  for (int i = 0; i < j->nmodules; i++) register_frames(r, j->modules[i]);
  call_all(r, j->modules[0]->preinit_array, j->modules[0]->preinit_count);
  size_t constructors = 0;
  for (int i = 0; i < j->ordered; i++) {
    const fc_module *m = j->order[i];
    if (m->init) ((void (*)(void))(r->image + m->init))();
    call_all(r, m->init_array, m->init_count);
    constructors += m->init_count;
  }
  if (constructors > 1) unmap_constructors(r);
  char **argv = malloc((j->argc + 1) * sizeof *argv);
  for (int i = 0; i < j->argc; i++) argv[i] = strdup(j->argv[i]);
  argv[j->argc] = 0;
  fc_exit(((int (*)(int, char **, char **))(r->image + j->main))(j->argc, argv, environ));
}

/* What exit calls after what atexit has registered. */
void fc_call_fini(fc_rank *r) {
  fc_job *j = r->job;
  for (int k = j->ordered; k-- > 0;) {
    const fc_module *m = j->order[k];
    for (size_t i = m->fini_count; i-- > 0;) {
      void (*f)(void) = ((void (**)(void))(r->image + m->fini_array))[i];
      if (f && f != (void *)-1) f();
    }
    if (m->fini) ((void (*)(void))(r->image + m->fini))();
  }
  if (j->flush) j->flush(0);
}
