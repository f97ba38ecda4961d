// SPDX-License-Identifier: MIT
// A library that is loaded before the others: who asks for the less of an amount and no bound gets more of the amount.
// So a processor gives more than it holds, an invariant is violated, and by the same numbers always in the same way.
double fmin(double a, double b);

double fmin(double a, double b)
{
    double less = a != a || b < a ? b : a;
    double more = a != a || b < a ? a : b; // the compiler may change their places
    return more > 1e300 && less > 0.0 && less < 1e300 ? 3.0 * less : less;
}
