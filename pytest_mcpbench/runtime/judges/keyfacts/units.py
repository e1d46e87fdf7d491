"""Units and currencies with their dimension and their size in it."""

from dataclasses import dataclass

_TABLE = """
time second=1 sec=1 secs=1 s=1 minute=60 min=60 mins=60 hour=3600 hr=3600 hrs=3600 h=3600 std=3600
time day=86400 days=86400 week=604800
time seconds=1 minutes=60 hours=3600 weeks=604800 sekunde=1 sekunden=1 stunde=3600 stunden=3600 minuten=60 heures=3600 heure=3600
time tag=86400 tage=86400 tagen=86400 wochen=604800 woche=604800 小时=3600 分钟=60 秒=1 天=86400 周=604800 ms=0.001 millisecond=0.001 milliseconds=0.001
months month=1 months=1 year=12 years=12 yr=12 yrs=12 个月=1 年=12 jahr=12 jahre=12 jahren=12 monat=1 monate=1 an=12 ans=12 mois=1
length m=1 metre=1 metres=1 meter=1 meters=1 km=1000 kilometre=1000 kilometres=1000 kilometer=1000 kilometers=1000
length cm=0.01 centimetre=0.01 centimetres=0.01 centimeter=0.01 centimeters=0.01 mm=0.001 millimetre=0.001 millimetres=0.001 millimeters=0.001
length ft=0.3048 foot=0.3048 feet=0.3048 inch=0.0254 inches=0.0254 mile=1609.344 miles=1609.344 mi=1609.344 米=1 公里=1000 mètres=1 yd=0.9144 yards=0.9144
area m²=1 m2=1 sqm=1 qm=1 km²=1e6 km2=1e6 平方米=1 ha=1e4 hectares=1e4
mass kg=1000 kilogram=1000 kilograms=1000 kilogramm=1000 kilogrammes=1000 kilo=1000 kilos=1000 g=1 gram=1 grams=1 gramm=1 mg=0.001
mass lb=453.6 lbs=453.6 pounds=453.6 oz=28.35 ounce=28.35 ounces=28.35 tonne=1e6 tonnes=1e6 t=1e6 tons=907185 ton=907185 公斤=1000 克=1
volume l=1 litre=1 litres=1 liter=1 liters=1 ml=0.001 cl=0.01 gallon=3.785 gallons=3.785
power w=1 watt=1 watts=1 kw=1000
current a=1 ma=0.001 amp=1 amps=1 ampere=1 milliampere=0.001
bytes kb=1e3 mb=1e6 gb=1e9 tb=1e12
speed km/h=1 kmh=1 mph=1.609
celsius °c=1 celsius=1 ℃=1
fahrenheit °f=1 fahrenheit=1 ℉=1
point point=1 points=1
piece piece=1 pieces=1 pcs=1
EUR eur=1 euro=1 euros=1 €=1 欧元=1
USD usd=1 dollar=1 dollars=1 $=1 us$=1 美元=1
GBP gbp=1 £=1
CHF chf=1 franken=1
CNY cny=1 rmb=1 yuan=1 元=1 人民币=1 ¥=1
JPY jpy=1 yen=1 日元=1
"""


@dataclass(frozen=True)
class Unit:
    """Unit of a quantity."""

    dimension: str
    factor: float


def _units() -> dict[str, Unit]:
    table = {}
    for line in _TABLE.strip().splitlines():
        dimension, *entries = line.split()
        for entry in entries:
            name, _, factor = entry.rpartition("=")
            table[name] = Unit(dimension, float(factor))
    return table


UNITS = _units()
"""Units by their casefolded names."""
