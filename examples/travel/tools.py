"""Tools of a travel assistant: one for each way to declare a tool's parameters.

Nothing here needs a network, and the same call always gets the same answer. Look at them with
`toolhaft show examples/travel/tools.py`; `calls.jsonl` has calls as models send them, right and
wrong, for `toolhaft batch examples/travel/tools.py examples/travel/calls.jsonl --execute --show`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, Field

from toolhaft import Doc, Injected, ToolError, Toolset, tool

CELSIUS = {"Paris": 14, "Lisbon": 21, "Oslo": 3, "Nairobi": 24}


# A plain signature is the schema; `Annotated` holds what a type cannot say.
@tool(annotations={"readOnlyHint": True})
def get_weather(
    city: Annotated[str, Doc("City name, e.g. Paris")],
    days: Annotated[int, Field(ge=1, le=14)] = 1,
    units: Literal["C", "F"] = "C",
    hourly: bool = False,
) -> dict[str, Any]:
    """Weather forecast for a city.

    Args:
        days: How many days to look ahead.
        units: Celsius or Fahrenheit.
        hourly: Also give the temperature of each hour.
    """
    if city not in CELSIUS:
        # The model reads these words: they are written for it.
        raise ToolError(f"no forecast for this city; known are {', '.join(sorted(CELSIUS))}")
    degrees = CELSIUS[city] if units == "C" else CELSIUS[city] * 9 // 5 + 32
    forecast: dict[str, Any] = {"city": city, "units": units, "daily": [degrees] * days}
    return {**forecast, "hourly": [degrees] * 24} if hourly else forecast


# One pydantic model in, nested, and one out, against which the result is checked.
class Passenger(BaseModel):
    """A person who flies."""

    name: str = Field(min_length=1, description="As in the passport")
    age: int = Field(ge=0, le=120, description="In years, on the day of the flight")


class FlightSearch(BaseModel, extra="forbid"):
    """Which flights to look for."""

    origin: str = Field(pattern="^[A-Z]{3}$", description="IATA code, e.g. CDG")
    destination: str = Field(pattern="^[A-Z]{3}$", description="IATA code, e.g. LIS")
    departure: date = Field(description="Day of the flight")
    passengers: list[Passenger] = Field(min_length=1, max_length=9, description="Who flies")
    cabin: Literal["economy", "business", "first"] = Field("economy", description="Class of all")
    direct_only: bool = Field(default=False, description="Leave out flights with stops")


class Flight(BaseModel):
    """One flight on offer."""

    number: str
    departure: date
    price_eur: int
    stops: int


class Flights(BaseModel):
    """All flights found, cheapest first."""

    flights: list[Flight]


FARES = {"economy": 80, "business": 310, "first": 720}


@tool(input=FlightSearch, annotations={"readOnlyHint": True})
def search_flights(search: FlightSearch) -> Flights:
    """Find flights for one or more passengers, cheapest first."""
    fare = FARES[search.cabin] * len(search.passengers)
    route = f"{search.origin}{search.destination}"
    direct = Flight(number=f"{route}-1", departure=search.departure, price_eur=fare + 40, stops=0)
    with_stop = Flight(number=f"{route}-2", departure=search.departure, price_eur=fare, stops=1)
    return Flights(flights=[direct] if search.direct_only else [with_stop, direct])


# msgspec: the same, with its own types and constraints.
class Money(msgspec.Struct):
    """An amount, and what to change it into.

    Attributes:
        amount: How much there is of the first currency.
        source: The currency that there is.
        target: The currency that is wanted.
    """

    amount: Annotated[float, msgspec.Meta(gt=0, le=1e12)]
    source: Literal["EUR", "USD", "NOK"]
    target: Literal["EUR", "USD", "NOK"]


class Converted(msgspec.Struct):
    """An amount in its new currency."""

    amount: float
    currency: str


RATES = {"EUR": 1.0, "USD": 1.1, "NOK": 11.5}


@tool(input=Money)
def convert_money(money: Money) -> Converted:
    """Convert an amount of money at a fixed rate."""
    amount = money.amount / RATES[money.source] * RATES[money.target]
    return Converted(round(amount, 2), money.target)


# Dataclasses of the standard library need no library at all.
@dataclass
class Stop:
    """A city, and how long to stay.

    Attributes:
        city: City name, e.g. Paris.
        nights: How long to stay.
    """

    city: str
    nights: int = 1


@dataclass
class Trip:
    """Where to go, and who.

    Attributes:
        stops: The cities in the order of the trip.
        travellers: How many people go.
        tags: Words to find the trip by.
    """

    stops: list[Stop]
    travellers: int = 1
    tags: list[str] = field(default_factory=list)


@tool(input=Trip)
def plan_trip(trip: Trip) -> str:
    """Put the stops of a trip in order and count its nights."""
    route = " - ".join(stop.city for stop in trip.stops)
    nights = sum(stop.nights for stop in trip.stops)
    tagged = f", {', '.join(trip.tags)}" if trip.tags else ""
    return f"{route}: {nights} nights for {trip.travellers}{tagged}"


# A JSON Schema, as it comes from a document or another program. The handler gets a dict.
@tool(
    input={
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "description": "City name"},
            "max_price": {"type": "number", "minimum": 0, "description": "EUR a night"},
            "stars": {"type": "integer", "minimum": 1, "maximum": 5, "description": "At least"},
            "amenities": {
                "type": "array",
                "description": "What every hotel must have",
                "items": {"enum": ["wifi", "pool", "parking", "breakfast"]},
            },
        },
        "required": ["city"],
        "additionalProperties": False,
    }
)
def find_hotels(arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Find hotels in a city."""
    hotels: list[dict[str, Any]] = [
        {"hotel": "Grand", "stars": 5, "price": 240.0, "amenities": ["wifi", "pool", "breakfast"]},
        {"hotel": "Central", "stars": 3, "price": 95.0, "amenities": ["wifi", "parking"]},
    ]
    wanted = set(arguments.get("amenities", []))
    return [
        {"city": arguments["city"], **hotel}
        for hotel in hotels
        if hotel["price"] <= arguments.get("max_price", 1000)
        and hotel["stars"] >= arguments.get("stars", 1)
        and wanted <= set(hotel["amenities"])
    ]


# A tool that fails. `errors=` gives the model words for an exception; any other exception is a
# crash: its text goes to the log, and the model reads an id.
class SoldOut(Exception):
    """No room is left."""


@tool(errors={SoldOut: "no room is left in that hotel; look for another one"})
def book_hotel(
    hotel: Annotated[str, Doc("Name of the hotel, as found")],
    nights: Annotated[int, Field(ge=1, le=30), Doc("How long to stay")],
    card: Annotated[str, Field(min_length=4), Doc("Token of a stored card, never its number")],
) -> dict[str, Any]:
    """Book a room and charge the card."""
    if hotel == "Grand":
        raise SoldOut
    if card == "card-expired":
        raise RuntimeError("gateway https://pay.example refused api key sk-live-4f9a2c")
    return {"hotel": hotel, "nights": nights, "confirmation": f"{hotel[:3].upper()}-{nights:03}"}


# A slow tool: after `timeout` seconds the model gets an error, and the program continues.
@tool(timeout=0.2)
async def track_flight(
    number: Annotated[str, Field(pattern="^[A-Z]{2}[0-9]{1,4}$"), Doc("Such as LH400")],
) -> str:
    """Say where a flight is."""
    if number.startswith("ZZ"):
        await asyncio.sleep(60)
    return f"{number} is on time"


# `Injected` comes from the program that makes the call. The model cannot see or send it.
@tool
def list_bookings(*, traveller: Injected[str] = "guest") -> dict[str, Any]:
    """List the bookings of the person who asks."""
    return {"traveller": traveller, "bookings": ["CDGLIS-1", "CEN-003"]}


tools = Toolset(
    [
        get_weather,
        search_flights,
        convert_money,
        plan_trip,
        find_hotels,
        book_hotel,
        track_flight,
        list_bookings,
    ]
)
