// SPDX-License-Identifier: MIT
// The library from C++: which method balances a hypercube in the fewest steps?
//     c++ compare.cpp $(pkg-config --cflags --libs evenkeel) -o compare
#include <algorithm>
#include <cstdio>
#include <evenkeel.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// A machine that goes with its scope, and errors as exceptions.
using Machine = std::unique_ptr<ek_machine, decltype(&ek_machine_destroy)>;

static Machine prepare(const ek_experiment &experiment)
{
    ek_error error;
    Machine machine(ek_prepare(&experiment, &error), ek_machine_destroy);
    if (!machine) {
        throw std::runtime_error(error.sentence);
    }
    return machine;
}

static unsigned long long steps_of(const std::string &method)
{
    ek_experiment experiment = ek_experiment();
    experiment.topology = "hypercube:5";
    experiment.method = method.c_str();
    experiment.load = "peak:3200";
    experiment.carrier = "pool";
    Machine machine = prepare(experiment);
    ek_report report;
    ek_error error;
    if (ek_run(machine.get(), 0, &report, nullptr, nullptr, &error) != EK_OK) {
        throw std::runtime_error(error.sentence);
    }
    unsigned long long steps = report.steps;
    ek_report_destroy(&report);
    return steps;
}

int main()
try {
    std::vector<std::pair<unsigned long long, std::string>> ranks;
    for (const char *method : {"adf", "odf", "ade", "dde", "sos"}) {
        ranks.emplace_back(steps_of(method), method);
    }
    std::sort(ranks.begin(), ranks.end());
    for (const auto &rank : ranks) {
        std::printf("%-4s %3llu steps\n", rank.second.c_str(), rank.first);
    }
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "compare: %s\n", error.what());
    return 1;
}
