"""Networks of tensors by a few parameters and a seed: subscripts, and extents of indices.

The kinds are those of the data sets of others (einsum-benchmark, cotengra, quimb): lattices,
trees, random graphs, hypergraphs, circuits, weighted counting, graphical models, language.
"""

import random
import string


def symbol(number):
    """A letter for each number; beyond 52, of those that there are thousands of."""
    letters = string.ascii_letters
    return letters[number] if number < len(letters) else chr(0x4E00 + number)


def spell(terms, output, extents):
    """Subscripts of lists of numbers, with letters for those that are used."""
    names = {}
    for term in [*terms, output]:
        for index in term:
            names.setdefault(index, symbol(len(names)))
    spec = ",".join("".join(names[index] for index in term) for term in terms)
    return (f"{spec}->{''.join(names[index] for index in output)}",
            {name: extents[index] for index, name in names.items()})


def edges_as_network(edges, extents, open_indices=0):
    """A tensor for each node that has an edge; further indices of the first nodes are kept."""
    terms, sizes = {}, {}
    for number, (nodes, extent) in enumerate(zip(edges, extents)):
        sizes[number] = extent
        for node in nodes:
            terms.setdefault(node, []).append(number)
    output = []
    for node in sorted(terms)[:open_indices]:
        number = len(sizes)
        sizes[number] = 2
        terms[node].append(number)
        output.append(number)
    return spell([terms[node] for node in sorted(terms)], output, sizes)


def lattice(sides, bond=2, periodic=False, open_indices=0):
    """A tensor at each site, a bond to the next one along each axis."""
    sites = [()]
    for side in sides:
        sites = [(*site, place) for site in sites for place in range(side)]
    edges = []
    for site in sites:
        for axis, side in enumerate(sides):
            there = list(site)
            there[axis] += 1
            if periodic and side > 2:
                there[axis] %= side
            if there[axis] < side:
                edges.append((site, tuple(there)))
    return edges_as_network(edges, [bond] * len(edges), open_indices)


def tree(tensors, seed, least=2, most=4, open_indices=0):
    """Each tensor after the first has a bond to one before it."""
    dice = random.Random(seed)
    edges = [(dice.randrange(node), node) for node in range(1, tensors)]
    return edges_as_network(edges, [dice.randint(least, most) for _ in edges], open_indices)


def graph(tensors, degree, seed, least=2, most=2, open_indices=0):
    """A connected random graph: a tree, and edges up to that mean degree."""
    dice = random.Random(seed)
    edges = [(dice.randrange(node), node) for node in range(1, tensors)]
    while len(edges) < tensors * degree / 2:
        edges.append(tuple(sorted(dice.sample(range(tensors), 2))))
    return edges_as_network(edges, [dice.randint(least, most) for _ in edges], open_indices)


def hypergraph(tensors, indices, seed, nodes=3, least=2, most=3, open_indices=0):
    """Indices that up to so many tensors have, and a tree that connects all."""
    dice = random.Random(seed)
    edges = [(dice.randrange(node), node) for node in range(1, tensors)]
    while len(edges) < indices:
        edges.append(tuple(dice.sample(range(tensors), dice.randint(2, nodes))))
    return edges_as_network(edges, [dice.randint(least, most) for _ in edges], open_indices)


def circuit(qubits, layers, seed=0, kept=0):
    """Amplitudes of bit strings after layers of two-qubit gates, of random pairs where a seed
    is given, else of neighbours; the last qubits are kept open."""
    dice = random.Random(seed)
    count, now, terms = qubits, list(range(qubits)), [[i] for i in range(qubits)]
    for layer in range(layers):
        order = list(range(layer % 2, qubits))
        if seed:
            order = dice.sample(range(qubits), qubits)
        for first, second in zip(order[::2], order[1::2]):
            terms.append([now[first], now[second], count, count + 1])
            now[first], now[second] = count, count + 1
            count += 2
    terms += [[index] for index in now[:qubits - kept]]
    return spell(terms, now[qubits - kept:], dict.fromkeys(range(count), 2))


def diagonal_circuit(qubits, layers, seed):
    """Gates that are diagonal share the indices of their qubits, as in circuits of supremacy
    by controlled phases; each qubit is turned between layers."""
    dice = random.Random(seed)
    count, now, terms = qubits, list(range(qubits)), [[i] for i in range(qubits)]
    for _ in range(layers):
        order = dice.sample(range(qubits), qubits)
        for first, second in zip(order[::2], order[1::2]):
            terms.append([now[first], now[second]])
        for qubit in range(qubits):
            terms.append([now[qubit], count])
            now[qubit], count = count, count + 1
    terms += [[index] for index in now]
    return spell(terms, [], dict.fromkeys(range(count), 2))


def counting(variables, clauses, seed, width=3, span=0):
    """Weighted counting: a weight for each variable, and a tensor for each clause, whose
    variables lie within a span where that is given."""
    dice = random.Random(seed)
    terms = [[variable] for variable in range(variables)]
    for _ in range(clauses):
        first = dice.randrange(variables - span) if span else 0
        choice = range(first, first + span) if span else range(variables)
        terms.append(sorted(dice.sample(choice, width)))
    return spell(terms, [], dict.fromkeys(range(variables), 2))


def grid_model(rows, columns, states, kept=0):
    """A Markov random field: factors of sites and of neighbours, which share indices."""
    def number(row, column):
        return row * columns + column
    terms = [[site] for site in range(rows * columns)]
    for row in range(rows):
        for column in range(columns):
            if column + 1 < columns:
                terms.append([number(row, column), number(row, column + 1)])
            if row + 1 < rows:
                terms.append([number(row, column), number(row + 1, column)])
    return spell(terms, list(range(kept)), dict.fromkeys(range(rows * columns), states))


def hidden_markov(steps, states, symbols=0):
    """Transitions of a chain and observations of it, which are summed or seen."""
    terms, extents, count = [[0]], {0: states}, 1
    now = 0
    for _ in range(steps):
        terms.append([now, count])
        extents[count] = states
        now, count = count, count + 1
        if symbols:
            terms += [[now, count], [count]]
            extents[count] = symbols
            count += 1
        else:
            terms.append([now])
    return spell(terms, [now], extents)


def bayesian(variables, parents, seed, states=2, kept=1):
    """A table for each variable given some of those not far before it."""
    dice = random.Random(seed)
    terms = []
    for variable in range(variables):
        near = range(max(0, variable - 6), variable)
        terms.append([*dice.sample(near, min(len(near), dice.randint(0, parents))), variable])
    return spell(terms, list(range(variables - kept, variables)),
                 dict.fromkeys(range(variables), states))


def language(words, categories, vocabulary):
    """A grammar in normal form along a balanced tree: a rule of three categories at each node,
    a word's categories at each leaf, as of probabilistic grammars and models of meaning."""
    terms, extents, count = [], {}, 0
    level = []
    for _ in range(words):
        extents[count], extents[count + 1] = categories, vocabulary
        terms += [[count, count + 1], [count + 1]]
        level.append(count)
        count += 2
    while len(level) > 1:
        above = []
        for left, right in zip(level[::2], level[1::2]):
            extents[count] = categories
            terms.append([count, left, right])
            above.append(count)
            count += 1
        level = above + level[len(level) // 2 * 2:]
    return spell(terms, level, extents)


def states_overlap(sites, bond, physical=2, operator=0):
    """Two matrix product states, with an operator of that bond between where there is one."""
    terms, extents, count = [], {}, 0
    layers = [bond, operator, bond] if operator else [bond, bond]
    bonds = [None] * len(layers)
    for site in range(sites):
        legs = list(range(count, count + len(layers) - 1))
        count += len(legs)
        extents.update(dict.fromkeys(legs, physical))
        for layer, extent in enumerate(layers):
            term = [] if bonds[layer] is None else [bonds[layer]]
            term += legs[max(0, layer - 1):layer + 1]
            if site + 1 < sites:
                bonds[layer], count = count, count + 1
                extents[bonds[layer]] = extent
                term.append(bonds[layer])
            terms.append(term)
    return spell(terms, [], extents)


def chain(extents):
    """Matrices of these extents."""
    return spell([[i, i + 1] for i in range(len(extents) - 1)], [0, len(extents) - 1],
                 dict(enumerate(extents)))


def tensor_train(cores, extent, bond):
    """The whole tensor of a train."""
    terms, sizes = [], {}
    for core in range(cores):
        sizes[2 * core] = extent
        sizes[2 * core + 1] = bond
        terms.append([i for i in (2 * core - 1, 2 * core, 2 * core + 1)
                      if 0 <= i < 2 * cores - 1])
    return spell(terms, list(range(0, 2 * cores, 2)), sizes)
