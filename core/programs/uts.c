// SPDX-License-Identifier: MIT
// Unbalanced tree search: counts the leaves of a random tree (Olivier, Huan, Liu, Prins, Dinan, Sadayappan & Tseng,
// UTS, LCPC 2006). The state of a node is the SHA-1 of its parent's state and its number among the children. So the
// tree is the same whatever order its nodes are visited in, and the size of a subtree cannot be predicted.
//
// In a geometric tree a node at depth d has floor(ln(1-u) / ln(1-p)) children, where u is drawn and p = 1/(1 + b(d)).
// The shape is b(d), the mean number of children. In a binomial tree the root has B children, and every other node has
// M children with probability Q, else none. A hybrid tree is geometric above half its depth, and binomial below.
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha1.h>

#include "core/programs/programs.h"

enum uts_kind { UTS_GEOMETRIC, UTS_BINOMIAL, UTS_HYBRID };
enum uts_shape { UTS_FIXED, UTS_LINEAR, UTS_CYCLIC, UTS_EXPDEC };

enum {
    CHILDREN_MOST = 100, // of a node, except for the root of a binomial tree
    ROOT_CHILDREN_MOST = 1000000,
    DEPTH_MOST = 10000,
    CYCLES = 5,      // a cyclic tree ends below this many times DEPTH
    DEPTHS_KEPT = 64 // the first depths, whose numbers of children are looked up
};

static const double UNIT = 2147483648.0; // 2^31: u is a whole number of these parts

struct uts_tree {
    enum uts_kind kind;
    enum uts_shape shape;
    uint32_t depth;
    double branching;   // B
    double probability; // Q
    uint32_t binomial;  // M
    uint32_t seed;
};

struct uts {
    struct ek_problem problem;
    struct uts_tree tree;
    // By depth of a geometric node, then by a number of children: the least u, in parts of UNIT, for more than these.
    uint32_t least[DEPTHS_KEPT][CHILDREN_MOST + 1];
};

struct uts_node {
    uint8_t state[SHA1_DIGEST_SIZE];
    uint32_t depth;
};

// The sample trees of the UTS distribution, in the order of their names.
static const struct uts_tree samples[] = {
    {UTS_GEOMETRIC, UTS_FIXED, 10, 4.0, 0.0, 0, 19},       {UTS_GEOMETRIC, UTS_CYCLIC, 16, 6.0, 0.0, 0, 502},
    {UTS_BINOMIAL, UTS_FIXED, 0, 2000.0, 0.124875, 8, 42}, {UTS_HYBRID, UTS_LINEAR, 16, 6.0, 0.234375, 4, 1},
    {UTS_GEOMETRIC, UTS_LINEAR, 20, 4.0, 0.0, 0, 34},      {UTS_GEOMETRIC, UTS_FIXED, 13, 4.0, 0.0, 0, 29},
    {UTS_GEOMETRIC, UTS_CYCLIC, 23, 7.0, 0.0, 0, 220},     {UTS_BINOMIAL, UTS_FIXED, 0, 2000.0, 0.200014, 5, 7},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static const char *known_tree(size_t index)
{
    static const char *const names[] = {"t1", "t2", "t3", "t4", "t5", "t1l", "t2l", "t3l", "geo", "bin", "hybrid"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *known_shape(size_t index)
{
    static const char *const names[] = {"fixed", "linear", "cyclic", "expdec"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

// Reads SHAPE:DEPTH:B.
static bool read_geometric(struct base_cursor *cursor, struct uts_tree *tree)
{
    size_t shape;
    uint64_t depth;
    if (!base_cursor_known(cursor, "shape", known_shape, &shape) || !base_cursor_expect(cursor, ':', "the shape") ||
        !base_cursor_whole(cursor, "the depth", shape == UTS_EXPDEC ? 2 : 1, DEPTH_MOST, &depth) ||
        !base_cursor_expect(cursor, ':', "the depth")) {
        return false;
    }
    size_t at = cursor->at;
    tree->shape = (enum uts_shape)shape;
    tree->depth = (uint32_t)depth;
    return base_cursor_real(cursor, "the mean number of children", 0.0, CHILDREN_MOST, &tree->branching) &&
           (shape != UTS_EXPDEC || tree->branching > 1.0 ||
            base_cursor_fail(cursor, at,
                             "the numbers of children of expdec fall with the depth only if the first is "
                             "above 1: write a larger number"));
}

// The probability that the descendants of a binomial node end, the least root of e = 1 - Q + Q e^M (Galton & Watson).
// Left of the minimum of the right side minus the left side there is one root, if nodes have more than one child on
// average.
static double ends_of_node(const struct uts_tree *tree)
{
    double most = (double)tree->binomial;
    double low = 0.0;
    double high = tree->probability * most > 1.0 ? pow(1.0 / (tree->probability * most), 1.0 / (most - 1.0)) : 1.0;
    while (high < 1.0 && high - low > 1e-12) {
        double middle = 0.5 * (low + high);
        bool left = 1.0 - tree->probability + tree->probability * pow(middle, most) > middle;
        low = left ? middle : low;
        high = left ? high : middle;
    }
    return high;
}

// Reads Q:M. Some sample trees have nodes with slightly more than one child on average, and end all the same. So a tree
// is refused if it is more likely to have no end. A hybrid tree has about B such subtrees, or more.
static bool read_binomial(struct base_cursor *cursor, struct uts_tree *tree)
{
    size_t at = cursor->at;
    uint64_t children;
    if (!base_cursor_real(cursor, "the probability of children", 0.0, 1.0, &tree->probability) ||
        !base_cursor_expect(cursor, ':', "the probability") ||
        !base_cursor_whole(cursor, "the number of children", 1, CHILDREN_MOST, &children)) {
        return false;
    }
    tree->binomial = (uint32_t)children;
    double endless = tree->probability < 1.0 ? 1.0 - pow(ends_of_node(tree), tree->branching) : 1.0;
    return endless <= 0.5 ||
           base_cursor_fail(cursor, at,
                            "the mean number of a node's children is %g, so the tree has no end with probability "
                            "%.3g: write a probability below 1/%u",
                            tree->probability * (double)children, endless, tree->binomial);
}

static bool read_root(struct base_cursor *cursor, struct uts_tree *tree)
{
    uint64_t children;
    if (!base_cursor_whole(cursor, "the number of the root's children", 0, ROOT_CHILDREN_MOST, &children)) {
        return false;
    }
    tree->branching = (double)children;
    return base_cursor_expect(cursor, ':', "the number of the root's children");
}

static bool read_tree(struct base_cursor *cursor, struct uts_tree *tree)
{
    size_t kind;
    uint64_t seed;
    if (!base_cursor_known(cursor, "tree", known_tree, &kind)) {
        return false;
    }
    if (kind < SAMPLES) {
        *tree = samples[kind];
        return base_cursor_end(cursor);
    }
    tree->kind = (enum uts_kind)(kind - SAMPLES);
    if (!base_cursor_expect(cursor, ':', known_tree(kind)) ||
        !(tree->kind == UTS_BINOMIAL ? read_root(cursor, tree) : read_geometric(cursor, tree)) ||
        (tree->kind == UTS_HYBRID && !base_cursor_expect(cursor, ':', "the mean number of children")) ||
        (tree->kind != UTS_GEOMETRIC && !read_binomial(cursor, tree)) || !base_cursor_expect(cursor, ':', "the tree") ||
        !base_cursor_whole(cursor, "the seed", 0, INT32_MAX, &seed)) {
        return false;
    }
    tree->seed = (uint32_t)seed;
    return base_cursor_end(cursor);
}

// The mean number of children at a depth, b(d).
static double mean_children(const struct uts_tree *tree, uint32_t depth)
{
    static const double TURN = 2.0 * 3.141592653589793;
    double last = (double)tree->depth;
    if (depth == 0) {
        return tree->branching;
    }
    switch (tree->shape) {
    case UTS_FIXED:
        return depth < tree->depth ? tree->branching : 0.0;
    case UTS_LINEAR:
        return tree->branching * (1.0 - (double)depth / last);
    case UTS_CYCLIC:
        return depth > CYCLES * tree->depth ? 0.0 : pow(tree->branching, sin(TURN * (double)depth / last));
    default:
        return tree->branching * pow((double)depth, -log(tree->branching) / log(last));
    }
}

// The number of children in a geometric tree with mean `mean`, for the random number u.
static uint32_t geometric_children(double mean, double u)
{
    if (mean <= 0.0) {
        return 0;
    }
    double children = floor(log(1.0 - u) / log(1.0 - 1.0 / (1.0 + mean)));
    return children < CHILDREN_MOST ? (uint32_t)children : CHILDREN_MOST;
}

static bool is_geometric(const struct uts_tree *tree, uint32_t depth)
{
    return tree->kind == UTS_GEOMETRIC || (tree->kind == UTS_HYBRID && 2 * (uint64_t)depth < tree->depth);
}

// Finds the least u, in parts of UNIT, with more than `children` children: UNIT itself if there is none. The number of
// children grows with u, so the estimate is moved until the formula agrees.
static uint32_t least_above(double mean, uint32_t children)
{
    double most = fmax(mean, 0.0), least = ceil(UNIT * (1.0 - pow(1.0 - 1.0 / (1.0 + most), children + 1.0)));
    while (least > 0.0 && geometric_children(mean, (least - 1.0) / UNIT) > children) {
        least--;
    }
    while (least < UNIT && geometric_children(mean, least / UNIT) <= children) {
        least++;
    }
    return (uint32_t)least;
}

// Keeps what two logarithms would find again for each node. No node has more than CHILDREN_MOST children.
static void keep_depths(struct uts *uts)
{
    for (uint32_t depth = 0; depth < DEPTHS_KEPT; depth++) {
        double mean = mean_children(&uts->tree, depth);
        uint32_t *least = uts->least[depth];
        for (uint32_t children = 0; children < CHILDREN_MOST; children++) {
            bool any = children == 0 || least[children - 1] < UNIT;
            least[children] = any ? least_above(mean, children) : (uint32_t)UNIT;
        }
        least[CHILDREN_MOST] = (uint32_t)UNIT;
    }
}

static uint32_t number_at(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

// Reads only the two words that decide. Often they have just been written, word by word, and a core that reads several
// such words at once waits for their stores.
static uint32_t count_children(const struct uts *uts, const uint8_t *state, uint32_t depth)
{
    const struct uts_tree *tree = &uts->tree;
    uint32_t bits = number_at(state + SHA1_DIGEST_SIZE - 4) & 0x7fffffff;
    if (is_geometric(tree, depth)) {
        uint32_t children = 0;
        if (depth >= DEPTHS_KEPT) {
            return geometric_children(mean_children(tree, depth), (double)bits / UNIT);
        }
        while (bits >= uts->least[depth][children]) {
            children++;
        }
        return children;
    }
    if (depth == 0) {
        return (uint32_t)tree->branching;
    }
    return (double)bits / UNIT < tree->probability ? tree->binomial : 0;
}

// The most children that a node can have: those for the largest u, at the depth with the largest mean.
static uint32_t most_children(const struct uts_tree *tree)
{
    double mean = tree->branching;
    uint32_t most = tree->binomial;
    if (tree->kind == UTS_BINOMIAL) {
        return tree->branching > most ? (uint32_t)tree->branching : most;
    }
    for (uint32_t depth = 1; depth <= CYCLES * tree->depth && is_geometric(tree, depth); depth++) {
        mean = fmax(mean, mean_children(tree, depth));
    }
    uint32_t geometric = geometric_children(mean, 1.0 - 1.0 / UNIT);
    return geometric > most ? geometric : most;
}

static struct ek_problem *uts_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = core_program_cursor(setting, error);
    struct uts_tree tree = {0};
    if (!read_tree(&cursor, &tree)) {
        return NULL;
    }
    struct uts *uts = malloc(sizeof *uts);
    if (!uts) {
        base_cursor_fail(&cursor, setting->at, "there is no memory for the problem");
        return NULL;
    }
    uts->tree = tree;
    keep_depths(uts);
    uts->problem = (struct ek_problem){
        .task_bytes = sizeof(struct uts_node),
        .best = EK_NO_VALUE,
        .first_tasks = 1,
        .children_most = most_children(&tree),
    };
    return &uts->problem;
}

// A message of SHA-1: bytes and then a number. It fits into one block, with a 1 bit and its length in bits at the end.
struct message {
    uint8_t block[SHA1_BLOCK_SIZE];
    size_t length; // of the bytes
};

static void put_number(uint8_t *to, uint32_t number)
{
    uint32_t big_endian;
    const uint8_t byte[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    memcpy(&big_endian, byte, sizeof byte);
    memcpy(to, &big_endian, sizeof big_endian);
}

// Sets all of the message but its number.
static void begin_message(struct message *message, const uint8_t *bytes, size_t length)
{
    memset(message->block, 0, sizeof message->block);
    memcpy(message->block, bytes, length);
    message->block[length + 4] = 0x80;
    put_number(message->block + SHA1_BLOCK_SIZE - 4, 8 * ((uint32_t)length + 4));
    message->length = length;
}

static void set_number(struct message *message, uint32_t number)
{
    put_number(message->block + message->length, number);
}

// Computes the SHA-1 of the message.
static void hash(uint8_t *state, const struct message *message)
{
    uint32_t word[] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    nettle_sha1_compress(word, message->block);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        put_number(state + 4 * i, word[i]);
    }
}

static void uts_begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    static const uint8_t zeros[16];
    struct uts_node root = {.depth = 0};
    struct message message;
    (void)index;
    begin_message(&message, zeros, sizeof zeros);
    set_number(&message, ((const struct uts *)problem)->tree.seed);
    hash(root.state, &message);
    memcpy(task, &root, sizeof root);
}

static void uts_execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    const uint8_t *state = (const uint8_t *)task + offsetof(struct uts_node, state);
    uint32_t depth;
    memcpy(&depth, (const uint8_t *)task + offsetof(struct uts_node, depth), sizeof depth);
    uint32_t children = count_children((const struct uts *)problem, state, depth);
    struct message message;
    if (children == 0) {
        execution->result = 1;
        return;
    }
    begin_message(&message, state, SHA1_DIGEST_SIZE);
    depth += depth < UINT32_MAX;
    for (uint32_t i = 0; i < children; i++) {
        set_number(&message, i); // some time before SHA-1 reads it together with the words beside it
        uint8_t *child = execution->child(execution);
        if (!child) {
            return;
        }
        hash(child + offsetof(struct uts_node, state), &message);
        memcpy(child + offsetof(struct uts_node, depth), &depth, sizeof depth);
    }
}

const struct ek_program core_program_uts = {
    .name = "uts",
    .choice = {"uts:TREE", "counts the leaves of a random tree: t1 to t5 (4 million nodes), t1l to t3l (100 million), "
                           "geo:SHAPE:DEPTH:B:SEED, bin:B:Q:M:SEED or hybrid:SHAPE:DEPTH:B:Q:M:SEED"},
    .source =
        "Olivier, Huan, Liu, Prins, Dinan, Sadayappan & Tseng, UTS: an unbalanced tree search benchmark, LCPC 2006",
    .result = EK_RESULT_SUM,
    .prepare = uts_prepare,
    .begin = uts_begin,
    .execute = uts_execute,
};
