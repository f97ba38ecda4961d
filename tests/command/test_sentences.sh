#!/bin/sh
# SPDX-License-Identifier: MIT
# What the command says of runs, in its own words: each line is a pattern, whether it is there, and the command that
# shows it. What is not there was said once, and was false.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${EVENKEEL:=build/evenkeel}"
LC_ALL=C.UTF-8
export LC_ALL

passed=0
failed=0
while IFS='|' read -r there pattern words; do
    # The sentence in one line, whatever its breaks.
    found=$(eval "$EVENKEEL $words" 2>/dev/null | tr '\n' ' ' | sed 's/  */ /g' | grep -cE -e "$pattern")
    if [ "$found" = "$([ "$there" = there ] && echo 1 || echo 0)" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '"%s" ought %sto be %s: evenkeel %s\n' "$pattern" "$([ "$there" = gone ] && echo 'not ')" there "$words"
    fi
done <<'END'
gone|optimal parameter gains nothing|explain ade
there|Eq\. \(4\)|explain adf
there|Eq\. \(4\)|explain odf
gone|odd tori\. There|explain ode
there|even tori and on meshes. There the matrix of an operation is defective|explain ode
there|With weighting target a processor can give more|explain adf
gone|Table 1 gives|theory --topology hypercube:4
gone|0\.99999999|theory --topology hypercube:4
there|gde:1 1 0\.585786 1 - -|theory --topology ring:8 --method gde:1
gone|Table 1 gives|theory --topology mesh:2x2 --method fos
gone|takes more operations|run --topology ring:64 --method ode --carrier pool
there|can take more operations than predicted|run --topology ring:64 --method ode --carrier pool
there|predicted, if the whole distance shrinks by this factor from the start|run --topology ring:64 --method ade --carrier pool
gone|the variance no longer falls|run --topology ring:8 --method adf --invoke below:50 --load peak:900 --carrier pool --stop error:1e-9
gone|operations_most|run --timing free --method fos --operations 100 --stop never --carrier pool
there|operations_most|run --method fos --carrier pool
gone|spread_most|run --topology hypercube:3 --method dem --load peak:640 --delay fixed:4 --carrier pool
gone|non-negative|run --topology star:8 --method 'sender:1/(deg+1)' --capacity cs --weighting target --load peak:100@1 --stop error:0.1 --carrier pool
gone|stays bounded|run --topology ring:8 --method sender:0.9 --work constant:0=1,4=-1 --load constant:100 --steps 20 --stop never --carrier pool
gone| theory alone|run --timing free --method sender:0.2 --domains exclusive --invoke probability:0.01 --operations 2000 --stop never --carrier pool
gone| theory alone|run --timing free --method adf --invoke outside:300:700 --work normal:100:30:100 --operations 2000 --stop never --carrier pool
there| theory alone|run --timing free --method adf --invoke probability:0.01 --operations 2000 --stop never --carrier pool
there|factor 0\.5 0\.284504|run --topology torus:8x8 --method ade --steps 6 --carrier pool
gone|factor 0 0 |run --topology torus:4x4 --method ade --steps 3 --carrier pool
there|total 400 including load in flight|run --topology ring:4 --method adf --load peak:400 --delay fixed:3 --steps 2 --carrier pool
gone|total -40|run --topology mesh:4x4 --method 'adi(opt)' --load peak:40 --delay fixed:3 --carrier pool
gone|no processor invokes|run --topology ring:5 --method ade --units tokens --invoke below:100 --load list:1,2,1,2,2 --stop spread:0 --carrier pool
gone|change sign|run --topology ring:8 --method diffusion:0.5 --units tokens --load peak:801 --timing turns --stop spread:0 --carrier pool
there|lambda_2 0\.585786, lambda_m 8, rho 0\.0732233|theory --topology torus:8x8
there|spread_most 8|theory --topology torus:8x8 --method gde:0.7 --units tokens --stop neighbours:1
there|variance_limit 6673\.09|theory --topology ring:64 --method ade --work normal:100:30:100 --operations 9
there|ode should balance this load in the fewest steps of these, about 20 next: evenkeel rank *$|theory
there|odf, fos should balance this load in the fewest steps of these, about 1 next: evenkeel rank --topology complete:3 *$|theory --topology complete:3
there|adf should balance this load in about 63 steps next: evenkeel rank *$|theory --method adf
there|ade should balance this load in about 1 step next: |theory --method ade --topology chain:2
there|a factor of 1 or more does not balance every load: try another parameter or --method next: evenkeel rank --topology ring:8 *$|theory --method gde:1 --topology ring:8
there|steps are predicted for real loads and --stop variance:V or error:E only next: evenkeel rank --stop spread:1 *$|theory --stop spread:1
there|no steps can be predicted without an exact factor next: evenkeel rank *$|theory --method dde
there|variance:1 was reached after 40 steps; the distance from balance fell from 2388 to 0\.8091, with a spread of 0\.3492 next: evenkeel rank *$|run --carrier pool
there|the run was cut after 3 steps, before variance:1 was reached; the distance from balance fell from 2388 to 761\.7, with a spread of 376\.6; try more --steps next: evenkeel explain ade *$|run --carrier pool --steps 3
there|steps 48 > 3 .* \* 1 0 3 .* \* did not reach variance:1 0 of 5 runs reached variance:1, 5 cut; .* include cut runs, so they are too low; try more --steps next: evenkeel explain ade *$|run --carrier pool --steps 3 --runs 5
there|steps 48 41\.5 .* 8 of 8 runs reached variance:1, after 36 to 44 steps; |run --carrier pool --runs 8
gone|\*|run --carrier pool --stop never --steps 4 --runs 2
gone|\*|run --carrier pool --steps 3 --runs 9
there|seconds 1 10 40 .* 8 11 44 .* mean 10\.375 41\.5 .* sd 0\.744024 .* min 9 36 0\.28.* max 11 44 0\.65|run --carrier pool --runs 8
gone|seconds 1 10 40|run --carrier pool --runs 9
there|a load fell to -108,66[0-9],[0-9]*, in 2 of 2 runs|run --topology ring:8 --method sender:0.9 --work normal:0:30:100 --load constant:100 --steps 20 --stop never --carrier pool --runs 2
there|stop spread:5 reached within [0-9,]* operations.* spread:5 was reached within [0-9,]* operations; |run --carrier pool --timing free --domains exclusive --topology torus:4x4 --method adf --load peak:1600 --stop spread:5
gone|the balance that random-neighbours:2 promises|run --carrier pool --topology ring:8 --method random-neighbours:2 --runs 2
there|2 of 2 runs reached the end of random-neighbours:2, after 18 to 26 steps; .*; this method promises no balance: give --stop to learn whether it balances next: evenkeel rank --topology ring:8 *$|run --carrier pool --topology ring:8 --method random-neighbours:2 --runs 2
there|depend on this computer next: evenkeel run --topology ring:4 --method adf --timing free --carrier pool --runs 10 *$|run --carrier pool --timing free --topology ring:4 --method adf
there|the loads diverged within 29 steps, so the other numbers mean nothing; .* another --method next: evenkeel explain diffusion:0.9 *$|run --carrier pool --topology ring:8 --method diffusion:0.9
there|de-adi\(ops\) is first by steps with 8; 3 methods share the second place, such as opt, each with 12\.|rank --topology torus:8x8 --method 'de-adi(ops),opt,ops,de(opt)' --runs 2
gone|virtual time|run --topology torus:8x8 --method adf --carrier pool
there|costs turn-cost 100ns, overhead 200ns, gap 50ns, latency 2us, byte-time 0 |run --topology torus:8x8 --method adf --latency 2us --carrier pool
there|costs turn-cost 100ns, overhead 200ns, gap 50ns, byte-time 0 |run --timing virtual --topology ring:4 --method ade --delay fixed:2us --carrier pool:1
there|52 steps, [^,]+, 390 us of virtual time .* after 52 steps .390 us of virtual time.;|run --topology torus:8x8 --method adf --latency 2us --carrier pool
there|messages virtual s 1 52 52 0\.83[0-9]+ 0\.44[0-9]+ 19663\.1 19,968 0\.00039 |run --topology torus:8x8 --method adf --latency 2us --carrier pool --runs 2
gone|virtual time|run --topology torus:8x8 --method diffusion:0.1 --delay fixed:1 --latency 2us --carrier pool
there|"virtual_s": 0\.000286[0-9]*,|run --topology torus:8x8 --method adf --carrier pool --format json
gone|"virtual_s"|run --topology torus:8x8 --method adf --timing turns --carrier pool --format json
there|"step": 52,[^}]*"time": 0\.000286|run --topology torus:8x8 --method adf --carrier pool --format json --trace
there|,virtual_s,.*,0\.000286[0-9]*,|run --topology torus:8x8 --method adf --carrier pool --format csv
END
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
