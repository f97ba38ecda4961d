// SPDX-License-Identifier: MIT
#ifndef LAB_STUDIES_METHOD_OF_SPEC_H
#define LAB_STUDIES_METHOD_OF_SPEC_H

// Returns the method of a spec, such as "liquid:c5" or "ded(fos)", or NULL if no method has its name.
const struct ek_method *lab_method_of(const char *spec);

#endif
