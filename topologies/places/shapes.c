// SPDX-License-Identifier: MIT
#include "topologies/places/places.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "topologies/topology.h"

static const double PI = 3.14159265358979323846;

bool topo_places_no_memory(struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "topology", "there is no memory for a drawing: use a smaller topology");
}

void topo_places_circle(struct ek_place *place, uint32_t count)
{
    double radius = count > 1 ? 0.5 / sin(PI / count) : 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double angle = 2.0 * PI * i / count;
        place[i] = (struct ek_place){radius * sin(angle), -radius * cos(angle)};
    }
}

void topo_places_row(struct ek_place *place, uint32_t count, double step, double y)
{
    for (uint32_t i = 0; i < count; i++) {
        place[i] = (struct ek_place){step * (i - 0.5 * (count - 1.0)), y};
    }
}

void topo_places_turn(struct ek_place *place, uint32_t count, double angle)
{
    double cosine = cos(angle);
    double sine = sin(angle);
    for (uint32_t i = 0; i < count; i++) {
        place[i] = (struct ek_place){cosine * place[i].x - sine * place[i].y, sine * place[i].x + cosine * place[i].y};
    }
}

struct ek_place topo_places_extent(const struct ek_place *place, uint32_t count)
{
    struct ek_place low = place[0];
    struct ek_place high = place[0];
    for (uint32_t i = 1; i < count; i++) {
        low = (struct ek_place){fmin(low.x, place[i].x), fmin(low.y, place[i].y)};
        high = (struct ek_place){fmax(high.x, place[i].x), fmax(high.y, place[i].y)};
    }
    return (struct ek_place){high.x - low.x, high.y - low.y};
}

// Returns the smallest scale of `outer` that keeps boxes of this size apart: for each two of them, their centres differ
// by a box's width or by a box's height.
static double scale_apart(const struct ek_place *outer, uint32_t outside, struct ek_place box)
{
    double scale = 0.0;
    for (uint32_t i = 0; i < outside; i++) {
        for (uint32_t j = i + 1; j < outside; j++) {
            double across = box.x / fabs(outer[i].x - outer[j].x);
            double down = box.y / fabs(outer[i].y - outer[j].y);
            scale = fmax(scale, fmin(across, down));
        }
    }
    return scale;
}

// Returns 1 if a drawing is much wider than high, -1 if it is much higher than wide, else 0.
static int lies(const struct ek_place *place, uint32_t count)
{
    static const double MUCH = 1.5;
    struct ek_place size = topo_places_extent(place, count);
    double ratio = (size.x + 1.0) / (size.y + 1.0); // a processor takes a width and a height of 1
    return ratio > MUCH ? 1 : ratio < 1.0 / MUCH ? -1 : 0;
}

void topo_places_nest_compact(struct ek_place *outer, uint32_t outside, const struct ek_place *inner, uint32_t inside,
                              struct ek_place *place)
{
    bool turned = lies(inner, inside) != 0 && lies(inner, inside) == lies(outer, outside);
    for (uint32_t i = 0; turned && i < outside; i++) {
        outer[i] = (struct ek_place){outer[i].y, outer[i].x};
    }
    topo_places_nest(outer, outside, inner, inside, place);
}

void topo_places_nest(const struct ek_place *outer, uint32_t outside, const struct ek_place *inner, uint32_t inside,
                      struct ek_place *place)
{
    static const double GAP = 1.0, SHARE = 0.2; // the gap is wider between large copies
    struct ek_place box = topo_places_extent(inner, inside);
    double gap = GAP + SHARE * fmin(box.x, box.y);
    double scale = scale_apart(outer, outside, (struct ek_place){box.x + gap, box.y + gap});
    for (uint32_t i = 0; i < outside; i++) {
        for (uint32_t j = 0; j < inside; j++) {
            place[i * inside + j] = (struct ek_place){scale * outer[i].x + inner[j].x, scale * outer[i].y + inner[j].y};
        }
    }
}
