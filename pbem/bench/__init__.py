"""The benches of ``pbem bench``: how fast the service is, beside floors, and how matches fare.

Each bench is a module with a function ``measure``, which takes ``_rounds.BenchOptions`` and answers
figures by case and name. They compare versions, options or machines; no test depends on them. To
read on:

1. ``_rounds``: what is asked and answered; what is compared takes turns.
2. ``_places`` (and ``_postgres``): services on fresh databases; ``_copies``: matches to fill them.
3. ``_servers``, ``_clients``, ``_relay``, ``_floor``: what runs beside, and who asks it;
   ``_processes``: what it uses.
4. ``moves``, ``service``, ``mails``: what people notice; ``pages``: what each page costs.
   ``growth``, ``due``: what years and many matches do to it. ``engine``: the rules alone.
5. ``pace``, ``days`` (with ``_trial`` and ``_people``): what matches ask of people, and how they
   go with people who are not always there.
"""
