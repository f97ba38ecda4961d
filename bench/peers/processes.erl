%% SPDX-License-Identifier: MIT
%% An Erlang process a processor; a message names the port at which it comes in.
-module(processes).
-export([main/1]).

-define(ALPHA, 0.2).
-define(THRESHOLD, 500.0).

main([Timing, Rows, Cols, Amount]) ->
    run(list_to_atom(Timing), list_to_integer(Rows), list_to_integer(Cols), list_to_integer(Amount)),
    halt(0).

run(Timing, Rows, Cols, Amount) ->
    N = Rows * Cols,
    Main = self(),
    Pids = list_to_tuple([spawn_link(fun() -> wait(Main, Timing, P, Amount) end) || P <- lists:seq(0, N - 1)]),
    Introduce = fun(P) ->
        Row = P div Cols, Col = P rem Cols,
        At = fun(R, C) -> element((R + Rows) rem Rows * Cols + (C + Cols) rem Cols + 1, Pids) end,
        element(P + 1, Pids) ! {neighbours, At(Row - 1, Col), At(Row + 1, Col), At(Row, Col - 1), At(Row, Col + 1)}
    end,
    lists:foreach(Introduce, lists:seq(0, N - 1)),
    [receive ready -> ok end || _ <- lists:seq(1, N)],
    Began = erlang:monotonic_time(),
    [Pid ! {go, Began} || Pid <- tuple_to_list(Pids)],
    {Operations, Messages, Loads} = collect(N, 0, 0, []),
    Seconds = erlang:convert_time_unit(erlang:monotonic_time() - Began, native, nanosecond) / 1.0e9,
    say(Seconds, case Timing of free -> Operations; rounds -> Amount end, Messages, Loads).

collect(0, Operations, Messages, Loads) ->
    {Operations, Messages, Loads};
collect(N, Operations, Messages, Loads) ->
    receive
        {over, P, Load, Done, Sent} -> collect(N - 1, Operations + Done, Messages + Sent, [{P, Load} | Loads])
    end.

say(Seconds, Rounds, Messages, Loads) ->
    {Total, Squares, Bits} = lists:foldl(fun({P, Load}, {T, S, B}) ->
        <<Word:64>> = <<Load/float>>,
        {T + Load, S + Load * Load, (B + Word * (2 * P + 1)) band 16#ffffffffffffffff}
    end, {0.0, 0.0, 0}, Loads),
    io:format("seconds ~.9f rounds ~b messages ~b total ~w squares ~w bits ~16.16.0b~n",
              [Seconds, Rounds, Messages, Total, Squares, Bits]).

wait(Main, Timing, P, Amount) ->
    Load = float(P * 7919 rem 1001),
    Neighbours = receive {neighbours, N, S, W, E} -> {N, S, W, E} end,
    Main ! ready,
    Began = receive {go, Time} -> Time end,
    {Final, Operations, Messages} = case Timing of
        rounds -> {balance(Load, Neighbours, Amount), Amount, 4 * Amount};
        free -> serve(Load, Neighbours, Began + erlang:convert_time_unit(Amount, millisecond, native))
    end,
    Main ! {over, P, Final, Operations, Messages}.

%% Rounds. A neighbour may be one round ahead: of two messages of its own the older is taken first.

balance(Load, _, 0) ->
    Load;
balance(Load, {N, S, W, E} = Neighbours, Rounds) ->
    N ! {south, Load},
    S ! {north, Load},
    W ! {east, Load},
    E ! {west, Load},
    North = receive {north, L1} -> L1 end,
    South = receive {south, L2} -> L2 end,
    West = receive {west, L3} -> L3 end,
    East = receive {east, L4} -> L4 end,
    Next = Load + ?ALPHA * ((North - Load) + (South - Load) + (West - Load) + (East - Load)),
    balance(Next, Neighbours, Rounds - 1).

%% Free. Ports are 1 to 4: north, south, west, east.

-record(party, {load, neighbours, told = {0.0, 0.0, 0.0, 0.0}, tells = 0, grants = 0, open = 4, done = false,
                'end', operations = 0, messages = 0}).

serve(Load, Neighbours, End) ->
    loop(invoke(#party{load = Load, neighbours = Neighbours, 'end' = End})).

loop(#party{done = true, open = 0} = Party) ->
    {Party#party.load, Party#party.operations, Party#party.messages};
loop(Party) ->
    receive {Kind, Port, Amount} -> loop(invoke(take(Kind, Port, Amount, Party))) end.

opposite(1) -> 2;
opposite(2) -> 1;
opposite(3) -> 4;
opposite(4) -> 3.

send(Port, Kind, Amount, #party{messages = Messages} = Party) ->
    element(Port, Party#party.neighbours) ! {Kind, opposite(Port), Amount},
    Party#party{messages = Messages + 1}.

send_all(Kind, Party) ->
    lists:foldl(fun(Port, So) -> send(Port, Kind, 0.0, So) end, Party, [1, 2, 3, 4]).

%% At most what is held.
give(Port, Kind, Wanted, #party{load = Load} = Party) ->
    Amount = min(Wanted, Load),
    send(Port, Kind, Amount, Party#party{load = Load - Amount}).

invoke(#party{done = false, tells = 0, grants = 0} = Party) ->
    case erlang:monotonic_time() >= Party#party.'end' of
        true -> send_all(done, Party#party{done = true});
        false when Party#party.load =/= ?THRESHOLD ->
            send_all(ask, Party#party{operations = Party#party.operations + 1, tells = 4});
        false -> Party
    end;
invoke(Party) ->
    Party.

settle(#party{load = Own, told = Told} = Party) ->
    lists:foldl(fun(Port, So) ->
        case ?ALPHA * (Own - element(Port, Told)) of
            Flow when Flow > 0.0 -> give(Port, give, Flow, So);
            Flow when Flow < 0.0 -> send(Port, pull, -Flow, So#party{grants = So#party.grants + 1});
            _ -> send(Port, release, 0.0, So)
        end
    end, Party, [1, 2, 3, 4]).

take(ask, Port, _, Party) ->
    send(Port, tell, Party#party.load, Party);
take(tell, Port, Load, #party{tells = Tells, told = Told} = Party) ->
    Heard = Party#party{tells = Tells - 1, told = setelement(Port, Told, Load)},
    case Tells of
        1 -> settle(Heard);
        _ -> Heard
    end;
take(pull, Port, Wanted, Party) ->
    give(Port, grant, Wanted, Party);
take(grant, _, Amount, #party{load = Load, grants = Grants} = Party) ->
    Party#party{load = Load + Amount, grants = Grants - 1};
take(give, _, Amount, #party{load = Load} = Party) ->
    Party#party{load = Load + Amount};
take(release, _, _, Party) ->
    Party;
take(done, _, _, #party{open = Open} = Party) ->
    Party#party{open = Open - 1}.
